import { Marked, type Token, type Tokens } from "marked";
import { escapeHtml } from "../display/escapeHtml.js";
import { visible } from "../display/visible.js";
import { type AllowedElements, isAllowedHtml } from "./allowedHtml.js";
import { codeHtml } from "./codeHtml.js";
import { imageUri } from "./imageUri.js";

/** Pictures that belong to a Markdown cell: by name, a bundle of MIME types. */
export type Attachments = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const LINK = /^(?:https?:|mailto:|#)/i;
const align = { align: /^(?:left|right|center)$/ };

/** What Markdown may become. */
const ALLOWED: AllowedElements = {
  ...Object.fromEntries(
    "blockquote br code del em h1 h2 h3 h4 h5 h6 hr li p pre strong table tbody thead tr ul"
      .split(" ")
      .map((name) => [name, {}]),
  ),
  a: { href: LINK, title: /^/, rel: /^noopener noreferrer$/ },
  img: { src: /^data:image\/(?:png|jpeg|gif|svg\+xml);base64,[A-Za-z0-9+/=]*$/, alt: /^/ },
  ol: { start: /^\d+$/ },
  span: { class: /^af-(?:comment|string|word)$/ },
  td: align,
  th: align,
};

/**
 * Markdown as HTML: raw HTML in it is shown as text, links lead to the web, to a mailbox or to the same page, and pictures are
 * those that are in it.
 */
export function markdownHtml(markdown: string, attachments: Attachments = {}): string {
  const html = parser(attachments).parse(markdown, { async: false });
  // What Markdown becomes is checked once more, so that it does not rest on the library alone.
  return isAllowedHtml(html, ALLOWED) ? html : `<pre>${escapeHtml(markdown)}</pre>`;
}

/** The first heading of a Markdown text, without its marks; undefined where there is none. */
export function firstHeading(markdown: string): string | undefined {
  const heading = new Marked().lexer(markdown).find((token): token is Tokens.Heading => token.type === "heading");
  const text = heading === undefined ? "" : visible(plainText(heading.tokens)).trim();
  return text === "" ? undefined : text;
}

function parser(attachments: Attachments): Marked {
  return new Marked({
    gfm: true,
    renderer: {
      html({ text }) {
        if (/^<!--.*-->\s*$/s.test(text)) return "";
        return /^<br\s*\/?>\s*$/i.test(text) ? "<br>" : escapeHtml(text);
      },
      link({ href, title, tokens }) {
        const text = this.parser.parseInline(tokens);
        if (!LINK.test(href)) return text;
        const hint = title ? ` title="${escapeHtml(title)}"` : "";
        return `<a href="${escapeHtml(href)}"${hint} rel="noopener noreferrer">${text}</a>`;
      },
      image({ href, text }) {
        const uri = pictureUri(href, attachments);
        return uri === undefined
          ? escapeHtml(`[${text || "picture"}]`)
          : `<img src="${uri}" alt="${escapeHtml(text)}">`;
      },
      code({ text, lang }) {
        return codeHtml(text, lang ?? "");
      },
      codespan({ text }) {
        return `<code>${escapeHtml(text)}</code>`;
      },
      checkbox({ checked }) {
        return checked ? "☑ " : "☐ ";
      },
      br: () => "<br>",
      hr: () => "<hr>",
    },
  });
}

function pictureUri(href: string, attachments: Attachments): string | undefined {
  const name = /^attachment:(.*)$/.exec(href)?.[1];
  if (name !== undefined) return imageUri(attachments[decodeURIComponent(name)] ?? attachments[name] ?? {});
  return ALLOWED.img?.src?.test(href) ? href : undefined;
}

function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      "tokens" in token && token.tokens ? plainText(token.tokens) : "text" in token ? String(token.text) : "",
    )
    .join("");
}
