"""Notes in memory, by Python's standard library alone. notes.yaml describes them."""

import json
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

notes = {}
topics = ("home", "work")


def unique(pairs):
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def refuse(text):
    raise ValueError(text)


def draft_in(sent):
    """Returns the note of a body. Raises ValueError if it does not fit the document."""
    draft = json.loads(sent.decode(), object_pairs_hook=unique, parse_constant=refuse)
    if not isinstance(draft, dict) or draft.keys() - {"text", "topic", "rank", "done"}:
        raise ValueError
    text, topic, rank, done = (draft.get(key, other) for key, other in
                               (("text", None), ("topic", "home"), ("rank", 1), ("done", False)))
    if type(text) is not str or not 1 <= len(text) <= 80 or topic not in topics:
        raise ValueError
    if type(rank) not in (int, float) or rank != int(rank) or not 1 <= rank <= 9 or type(done) is not bool:
        raise ValueError
    text.encode()
    return {"text": text, "topic": topic, "rank": int(rank), "done": done}


class Notes(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet for head and body

    def answer(self):
        url = urlsplit(self.path)
        # A query is UTF-8, and so is a body.
        query = parse_qs(url.query, keep_blank_values=True)
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Transfer-Encoding"):
            self.close_connection = True
            return self.reply(411)
        one = re.fullmatch(r"/notes/([0-9]{1,19})", url.path)
        if url.path == "/notes":
            own = {"GET": self.list, "POST": self.add}
        elif re.fullmatch(r"/notes/[^/]*", url.path):
            own = {"GET": self.get, "PUT": self.put, "DELETE": self.remove}
            if not one and self.command in own:
                return self.reply(400, {"error": "noteId is not a number"})
        else:
            return self.reply(404, {"error": "There is nothing here"})
        own["HEAD"] = own["GET"]
        if self.command not in own:
            return self.reply(405, {"error": "not this method"}, Allow=", ".join(own))
        number = int(one[1]) if one else 0
        if one and not 1 <= number < 2**63:
            return self.reply(400, {"error": "noteId is out of its range"})
        if one and number not in notes:
            return self.reply(404, {"error": f"There is no note {number}"})
        if self.command in ("POST", "PUT"):
            kind = self.headers.get("Content-Type", "").split(";")[0].strip().lower()
            if kind != "application/json":
                return self.reply(415, {"error": "Send application/json"})
            try:
                return own[self.command](number, draft_in(sent))
            except (ValueError, RecursionError, OverflowError):
                return self.reply(400, {"error": "The body is not valid"})
        return own[self.command](number, query)

    def list(self, _number, query):
        [limit, *more], [topic, *others] = query.get("limit", ["20"]), query.get("topic", ["home"])
        if more or others or not re.fullmatch("[0-9]{1,3}", limit) or not 1 <= int(limit) <= 50 or topic not in topics:
            return self.reply(400, {"error": "The query is not valid"})
        found = [one for _, one in sorted(notes.items()) if "topic" not in query or one["topic"] == topic]
        return self.reply(200, found[: int(limit)], **{"X-Total": str(len(found))})

    def add(self, _number, draft):
        number = Notes.last = Notes.last + 1
        notes[number] = {"id": number, **draft}
        return self.reply(201, notes[number], Location=f"/notes/{number}")

    def get(self, number, _query):
        return self.reply(200, notes[number])

    def put(self, number, draft):
        notes[number] = {"id": number, **draft}
        return self.reply(200, notes[number])

    def remove(self, number, _query):
        del notes[number]
        return self.reply(204)

    def reply(self, status, value=None, **fields):
        content = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        for name, field in fields.items():
            self.send_header(name, field)
        if value is not None:
            self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def __getattr__(self, name):
        """Each method has the same answer at first: do_GET, do_TRACE."""
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def log_message(self, *_):
        """Keeps quiet."""


Notes.last = 0
ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Notes).serve_forever()
