"""Stands in for `vllm.entrypoints.openai.api_server`: the same flags and paths, and no model.

`--load-for` seconds it does not listen yet, and then it dies of `--die-loading`, if given. Asked to
"die" it does. Beside it, in `starts`, it writes a line each time: its pid, its engine's, its words.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


def read_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--served-model-name")
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--enable-prompt-tokens-details", action="store_true")
    parser.add_argument("--load-for", type=float, default=0)
    parser.add_argument("--die-loading")
    return parser.parse_args()


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    flags: argparse.Namespace

    def do_GET(self) -> None:
        if self.path == "/health":
            return self.reply(200, {})
        name = self.flags.served_model_name or self.flags.model
        self.guarded({"data": [{"id": name, "root": self.flags.model}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        words = asked["messages"][-1]["content"]
        if words == "die":
            sys.stderr.write(
                "(EngineCore pid=7) torch.OutOfMemoryError: CUDA out of memory\n\nBye\n"
            )
            os._exit(3)
        said = {"role": "assistant", "content": f"{asked['model']}: {words}", "reasoning": "Hm."}
        self.guarded({"choices": [{"message": said, "finish_reason": "stop"}]})

    def guarded(self, body: dict[str, Any]) -> None:
        key = os.environ.get("VLLM_API_KEY")
        if key and self.headers["Authorization"] != f"Bearer {key}":
            return self.reply(401, {"error": "Unauthorized"})
        self.reply(200, body)

    def reply(self, status: int, body: dict[str, Any]) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def main() -> None:
    # The engine is a process of its own, and outlives a server that ends unasked.
    engine = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    with (Path(__file__).parent / "starts").open("a") as file:
        print(json.dumps([os.getpid(), engine.pid, sys.argv[1:]]), file=file)

    def end(number: int, frame: object) -> None:
        engine.kill()
        os._exit(0)

    signal.signal(signal.SIGTERM, end)
    Answers.flags = read_flags()
    time.sleep(Answers.flags.load_for)
    if Answers.flags.die_loading:
        sys.exit(Answers.flags.die_loading)
    ThreadingHTTPServer((Answers.flags.host, Answers.flags.port), Answers).serve_forever()


if __name__ == "__main__":
    main()
