"""A front end over jupyter_client, which prints what it received as JSON. The environment names the kernel's data directory."""

import base64
import json
import queue

from jupyter_client import KernelManager

SECRET = "typed-Secret/42 key"


def prompts():
    """Runs cells that prompt, and answers on the stdin channel."""
    manager = KernelManager(kernel_name="archive-frames")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=120)
    received = []
    requests = []

    def reply_to(sent):
        """The reply to a request: to a kernel that starts slowly, the client has sent kernel_info_request several times."""
        while True:
            reply = client.get_shell_msg(timeout=60)
            if reply["parent_header"].get("msg_id") == sent:
                received.append(reply)
                return reply

    def run(code, answers=(), **more):
        """The messages of a cell; answers its prompts in order, or interrupts it at the first prompt."""
        left = list(answers)
        sent = client.execute(code, **more)
        messages = []
        while True:
            try:
                request = client.get_stdin_msg(timeout=0.02)
                requests.append(request["content"])
                if left:
                    client.input(left.pop(0))
                else:
                    manager.interrupt_kernel()
            except queue.Empty:
                pass
            try:
                message = client.get_iopub_msg(timeout=0.02)
            except queue.Empty:
                continue
            received.append(message)
            if message["parent_header"].get("msg_id") == sent:
                messages.append(message)
                if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                    break
        return reply_to(sent), messages

    def shown(run_result):
        _, messages = run_result
        for message in messages:
            if message["msg_type"] in ("execute_result", "error", "stream"):
                content = message["content"]
                return content.get("evalue") or content.get("text") or content["data"]["text/plain"]
        return None

    def requested(message_type, **content):
        message = client.session.msg(message_type, content)
        client.shell_channel.send(message)
        return reply_to(message["header"]["msg_id"])["content"]

    values = {
        "typed": shown(
            run(
                'import { secret } from "archive-frames/notebook";\n'
                'import { ArchiveClient } from "archive-frames";\n'
                'const words = [await secret("first"), await secret("second?")];\nwords.join("+").length',
                ["Ada", "36"],
            )
        ),
        "length": shown(run('const key = await secret("ARCHIVE_API_KEY");\nkey.length', [SECRET])),
        "client": shown(
            run('const live = new ArchiveClient({ apiKey: await secret("ARCHIVE_API_KEY"), baseUrl: "http://127.0.0.1:9/", maxRetries: 0 });\nlive', [SECRET])
        ),
        "value": shown(run("key")),
        "table": shown(run("[{ key, more: `Bearer ${key}`, base64: Buffer.from(key).toString('base64') }]")),
        "printed": shown(run("console.log(key)")),
        "thrown": shown(run("throw new Error(`no such key: ${key}`)")),
        "refused": shown(run("await live.bills('budget')")),
        "interrupted": shown(run('await secret("never")')),
        "after": shown(run('(await secret("again")).length', ["yes"])),
        "notAllowed": shown(run('await secret("ARCHIVE_API_KEY")', allow_stdin=False)),
        "notNamed": shown(run('await secret("Which key?")', allow_stdin=False)),
        "tooltip": requested("inspect_request", code="key", cursor_pos=2, detail_level=0),
        "completion": requested("complete_request", code="ke", cursor_pos=2)["matches"],
    }
    client.stop_channels()
    manager.shutdown_kernel()
    everything = json.dumps(received, default=str)
    forms = [SECRET, json.dumps(SECRET)[1:-1], base64.b64encode(SECRET.encode()).decode(), SECRET.replace(" ", "%20")]
    return {"requests": requests, "values": values, "leaks": [form for form in forms if form in everything]}


print(json.dumps(prompts()))
