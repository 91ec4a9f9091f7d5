"""Jupyter's own tests of kernels. The environment names the data directory of Jupyter."""

import unittest

import jupyter_kernel_test


class ArchiveFramesTests(jupyter_kernel_test.KernelTests):
    kernel_name = "archive-frames"
    language_name = "typescript"
    file_extension = ".ts"
    code_hello_world = "console.log('hello, world')"
    code_stderr = "console.error('oops')"
    completion_samples = [
        {"text": "parseFl", "matches": {"parseFloat"}},
        {"text": "Math.hyp", "matches": {"hypot"}},
    ]
    complete_code_samples = ["1", "const a = 1", "await f()", "for await (const a of b) {}", "`a\nb`", "// a", ""]
    incomplete_code_samples = ["f(", "const a = {", "if (a) {\n  b", "[1,", "const a =", "a =>", "1 +"]
    code_generate_error = "throw new Error('expected')"
    code_execute_result = [
        {"code": "6 * 7", "result": "42"},
        {"code": "Promise.resolve('later')", "result": "later"},
        {"code": "[1, 2]", "result": "[ 1, 2 ]"},
    ]
    code_display_data = [
        {
            "code": "import { pl } from 'archive-frames';\nimport { show } from 'archive-frames/notebook';\nshow(pl.DataFrame({ a: [1] }))",
            "mime": "text/html",
        },
        {"code": "import { display } from 'archive-frames/notebook';\ndisplay({ [Symbol.for('Jupyter.display')]: () => ({ 'image/svg+xml': '<svg></svg>' }) })", "mime": "image/svg+xml"},
    ]
    code_inspect_sample = "parseInt"
    code_clear_output = "console.log('before');\nconsole.clear();"


if __name__ == "__main__":
    unittest.main(verbosity=2)
