"""Jupyter's own tests for kernels (Debian's python3-jupyter-kernel-test) with samples of Go, for the kernel "Go (vlpx)".

TestKernel runs it. It fails where a test fails, or one is skipped that is not named here.
"""

import os
import sys
import time
import unittest

import jupyter_kernel_test

# Tests for what the kernel does not have, and why.
LACKING = {
    "test_clear_output": "GoNB has no way to ask for it",
    "test_execute_result": "a cell of Go has no value; it displays what it wants to show",
    "test_history": "GoNB keeps no history",
    "test_pager": "GoNB has no pager",
}


def go_calls(beginning):
    """What the kernel and gopls have called the go command with, as far as it begins so."""
    with open(os.environ["GO_CALLS"]) as calls:
        return [call for call in calls if call.strip().startswith(beginning)]


class GoTests(jupyter_kernel_test.KernelTests):
    kernel_name = "vlpx"
    language_name = "go"
    file_extension = ".go"

    code_hello_world = '%%\nfmt.Println("hello, world")'
    code_stderr = '%%\nfmt.Fprintln(os.Stderr, "a warning")'
    code_generate_error = "%%\nfmt.Println(undeclared)"
    code_inspect_sample = "%%\nfmt.Println"
    code_display_data = [  # docs/upstream/gonb-display-lost.md tells why it says Sync
        {"code": 'import "github.com/janpfeifer/gonb/gonbui"\n\n%%\ngonbui.DisplayHtml("<b>bold</b>")\ngonbui.Sync()', "mime": "text/html"},
        {"code": "%%\ngonbui.DisplayMarkdown(`# one`)\ngonbui.Sync()", "mime": "text/markdown"},
    ]
    completion_samples = [
        {"text": 'import "strings"\n\n%%\nstrings.ToUpp', "matches": {"ToUpper", "ToUpperSpecial"}},
        {"text": "%%\nstrings.ToUpp", "matches": {"ToUpper", "ToUpperSpecial"}},  # whose import is missing
        {"text": "%%\nvlpx.Reprod", "matches": {"Reproduce"}},  # and not in Go's library
    ]
    complete_code_samples = ["", "var x int", 'import "vlpx.internal/vlpx"', "%%\nfmt.Println(1)", "!ls", "%env A=b"]
    incomplete_code_samples = ["func f() {", "%%", "%%\nfor {", "%%\nfmt.Println(`one", "var x = []int{"]
    invalid_code_samples = ["fmt.Println(1)", "%%\nfor }", "func )"]

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # Before it is asked, gopls reads the checkout, which takes it longer than GoNB waits for a completion: the program that it reads is
        # in no file.
        end = time.monotonic() + 120
        while not go_calls("list -overlay="):
            if time.monotonic() > end:
                raise AssertionError("gopls has read no program before it is asked")
            time.sleep(.1)
        while time.monotonic() < end:
            cls.kc.complete("%%\nvlpx.Reprod")
            if cls.kc.get_shell_msg(timeout=60)["content"].get("matches"):
                return
            time.sleep(1)

    def execute_helper(self, code, timeout=60, **how):
        """The suite waits for a tenth of a second only, which is no failure of the kernel's on a machine with much to do."""
        channel = self.kc.iopub_channel
        get_msg = channel.get_msg
        channel.get_msg = lambda timeout: get_msg(timeout=60)
        try:
            return super().execute_helper(code, timeout=60, **how)
        finally:
            channel.get_msg = get_msg

    def outputs(self, msg_id):
        """What the cell sends, up to its end."""
        sent = []
        while True:
            message = self.kc.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != msg_id:
                continue
            if message["content"].get("execution_state") == "idle":
                return sent
            sent.append(message)

    def test_error_while_running(self):
        """What a program writes before it fails comes as it is written; then there is one error."""
        self.flush_channels()
        reply, sent = self.execute_helper('%%\npanic("no")')
        self.assertEqual(reply["content"]["status"], "error")
        self.assertEqual([m["msg_type"] for m in sent if m["msg_type"] != "stream"], ["error"])
        self.assertEqual(sent[-1]["msg_type"], "error")
        self.assertIn("panic: no", "".join(m["content"]["text"] for m in sent[:-1]))

    def test_a_completion_gets_no_modules(self):
        """JupyterLab waits one second for completions: not for goimports and go get where the names are known."""
        self.execute_helper('import "vlpx.internal/vlpx"')
        before = len(go_calls("get"))
        for code, name in (("%%\nvlpx.Comp", "Compare"), ("%%\nvlpx.Benc", "Bench")):
            self.kc.complete(code)
            self.assertIn(name, self.kc.get_shell_msg(timeout=60)["content"]["matches"])
        self.assertEqual(len(go_calls("get")), before)

    def test_is_complete_while_running(self):
        """The answer to what is asked while a cell runs comes after the cell's, and the kernel is busy until then."""
        self.flush_channels()
        cell = self.kc.execute("%%\ntime.Sleep(2 * time.Second)")
        asked = self.kc.is_complete("%%\nfor {\n\tif true {")
        first = self.kc.get_shell_msg(timeout=60)
        second = self.kc.get_shell_msg(timeout=60)
        self.assertEqual([m["parent_header"]["msg_id"] for m in (first, second)], [cell, asked])
        self.assertEqual(second["msg_type"], "is_complete_reply")
        self.assertEqual(second["content"], {"status": "incomplete", "indent": "\t\t"})
        self.assertEqual(second["parent_header"]["msg_type"], "is_complete_request")
        self.assertEqual([m["content"].get("execution_state") for m in self.outputs(asked)], ["busy"])

    def test_no_request_without_answer(self):
        """What the kernel does not keep, it says that it has none of."""
        self.flush_channels()
        for ask, content in (
            (self.kc.history, {"status": "ok", "history": []}),
            (self.kc.comm_info, {"status": "ok", "comms": {}}),
        ):
            asked = ask()
            reply = self.kc.get_shell_msg(timeout=60)
            self.assertEqual((reply["parent_header"]["msg_id"], reply["content"]), (asked, content))

    def test_large_messages(self):
        """A cell of some megabytes, and an output of some, arrive."""
        self.flush_channels()
        size = 4 << 20
        code = '%%\nfmt.Print(len("' + "a" * size + '"), strings.Repeat("b", ' + str(size) + "))"
        reply, sent = self.kc.execute(code), ""
        for message in self.outputs(reply):
            if message["msg_type"] == "stream":
                sent += message["content"]["text"]
        self.assertEqual(self.kc.get_shell_msg(timeout=60)["content"]["status"], "ok")
        self.assertEqual(sent, str(size) + "b" * size)

    def test_interrupt(self):
        """A cell that is interrupted ends, and the next one runs."""
        self.flush_channels()
        cell = self.kc.execute('%%\nfmt.Println("begun")\ntime.Sleep(time.Hour)')
        while self.kc.get_iopub_msg(timeout=60)["msg_type"] != "stream":
            pass
        self.km.interrupt_kernel()
        self.outputs(cell)
        while self.kc.get_shell_msg(timeout=60)["parent_header"].get("msg_id") != cell:
            pass
        self.assertTrue(self.kc.is_alive())
        reply, _ = self.execute_helper(self.code_hello_world)
        self.assertEqual(reply["content"]["status"], "ok")


if __name__ == "__main__":
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(GoTests)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
    skipped = {test.id().split(".")[-1] for test, _ in result.skipped}
    if skipped != set(LACKING):
        print("skipped", skipped, "want", set(LACKING))
    sys.exit(not result.wasSuccessful() or skipped != set(LACKING))
