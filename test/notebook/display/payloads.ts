import fc from "fast-check";

/** Injection attempts; each one that can run code sets `window.hacked`. */
export const PAYLOADS: readonly string[] = (
  "<script>window.hacked=1</script>¦<img src=x onerror=window.hacked=1>¦</td></tr></table><h1>out</h1>¦" +
  '"><svg onload=window.hacked=1>¦\' onmouseover=\'window.hacked=1¦" style="position:fixed" x="¦' +
  "</style><script>window.hacked=1</script><style>¦</title></head><body onload=window.hacked=1>¦" +
  "</section></body></html><iframe srcdoc='<script>parent.hacked=1</script>'></iframe>¦<!-- ¦-->¦<plaintext>¦<xmp>¦" +
  "<![CDATA[¦]]>¦&lt;script&gt;¦&#60;script&#62;window.hacked=1&#60;/script&#62;¦&#x3c;b&#x3e;¦javascript:window.hacked=1¦" +
  "\u0000<b>nul</b>¦\u001b[31mred\u001b[0m¦\u202egnp.exe\u202c¦\u2066isolated\u2069¦\u2028line\u2029¦\ud800lone¦a\r\nb\rc\td¦" +
  "`\u0024{window.hacked=1}`¦{{constructor.constructor('window.hacked=1')()}}¦<a href='javascript:window.hacked=1'>x</a>¦" +
  "<style>*{display:none}</style>¦<base href=//evil.example>¦\u00adsoft\u200bzero\ufeffwidth"
).split("¦");

/** Combinations of hostile texts. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...PAYLOADS) },
      fc.string({ unit: "binary" }),
      fc.string({ unit: "grapheme" }),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(""));
