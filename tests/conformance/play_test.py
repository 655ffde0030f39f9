"""The runner notices servers that are wrong: each test plays a case against one that does badly."""

import socket
import struct
import sys
import threading
import unittest

sys.dont_write_bytecode = True

import case_file
import play
from wire import Malformed, Wire, take_answer

OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Pure-Error: none\r\n\r\nhello"
REFUSED = ("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nX-Pure-Error: request\r\n"
           "Connection: close\r\n\r\n")
GET = "GET /objects/seed0 HTTP/1.1\r\nHost: a\r\n\r\n"


class FakeServer:
    """Sends a piece for each receive, in order, then does as told: "stay", "close" or "reset"."""

    slack = 0.2

    def __init__(self, pieces, ending):
        self.pieces, self.ending = list(pieces), ending
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        client, _ = self.listener.accept()
        with client:
            client.settimeout(5)
            for piece in self.pieces:
                client.recv(65536)
                client.sendall(piece.encode("latin-1"))
            if self.ending == "reset":
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            elif self.ending == "stay":
                try:
                    while client.recv(65536):
                        pass
                except OSError:
                    pass

    def credentials(self):
        return []

    def finish(self):
        self.thread.join()
        self.listener.close()


def problems(pieces, ending="stay", **expectations):
    data = {"id": "x", "cat": "x", "why": "x", "request": GET, "expect_status": 200,
            "expect_close": False, "expect_error": "none", **expectations}
    case = case_file.Case(data)
    server = FakeServer(pieces, ending)
    run = play.Run(server, case.filled({}, {"seed0": "seed0"})).play()
    server.finish()
    return "; ".join(run.problems)


class PlayTest(unittest.TestCase):
    def test_a_good_server_passes(self):
        self.assertEqual(problems([OK, OK]), "")
        self.assertEqual(problems([REFUSED], "close", expect_status=400, expect_error="request",
                                  expect_close=True), "")
        self.assertEqual(problems([], "close", expect_status=0, expect_close=True), "")

    def test_another_status_is_noticed(self):
        self.assertIn("other answers", problems([REFUSED], "close"))

    def test_a_second_answer_is_noticed(self):
        self.assertIn("other answers", problems([OK + REFUSED], "close", expect_close=True))

    def test_another_word_is_noticed(self):
        self.assertIn("says none, not stopped", problems([OK], expect_error="stopped"))

    def test_other_content_is_noticed(self):
        self.assertIn("ETag is None", problems([OK, OK], expect_headers={"ETag": "/./"}))
        self.assertIn("the body is", problems([OK, OK], expect_body="world"))

    def test_a_connection_that_should_close_is_noticed(self):
        self.assertIn("still open", problems([OK], expect_close=True))

    def test_a_connection_that_should_stay_is_noticed(self):
        # The second GET may meet the closed socket, and bring a reset back.
        self.assertRegex(problems([OK], "close"), "closed|reset")
        self.assertIn("announces", problems([OK.replace("X-", "Connection: close\r\nX-", 1)]))

    def test_a_reset_behind_an_answer_is_noticed(self):
        self.assertIn("reset", problems([OK], "reset", expect_close=True))

    def test_an_answer_out_of_step_is_noticed(self):
        self.assertIn("out of step", problems([OK, OK.replace("hello", "world")]))
        self.assertIn("bytes behind", problems([OK, OK + OK]))

    def test_a_body_cut_short_is_noticed(self):
        self.assertIn("cut short", problems([OK[:-1]], "close", expect_close=True))
        self.assertIn("not cut short", problems([OK], "close", expect_close=True, expect_cut=True))

    def test_an_allowed_variant_passes_and_its_word_counts_only_in_its_class(self):
        self.assertEqual(problems([REFUSED], "close", also_ok=[400]), "")
        self.assertIn("says none", problems([OK, OK], expect_status=204, also_ok=[200],
                                            expect_error="other"))

    def test_a_document_may_be_expected_to_be_gone(self):
        case = case_file.Case({"id": "x", "cat": "x", "why": "x", "request": GET,
                               "expect_status": 200, "expect_close": False,
                               "after": [{"get": "seed0", "status": 404}]})
        self.assertEqual(case.filled({}, {"seed0": "00001"}).seed_body, b"hello")

    def test_keys_of_runs_never_meet(self):
        case = case_file.Case({"id": "x", "cat": "x", "why": "x", "expect_status": 200,
                               "expect_close": False,
                               "request": "PUT /objects/001 HTTP/1.1\r\n\r\n"})
        keys = case_file.Keys([case])
        seen = {keys.fresh(3) for _ in range(5000)}
        self.assertEqual(len(seen), 5000)
        self.assertNotIn("001", seen)
        self.assertTrue(all(len(key) == 3 for key in seen))


class WireTest(unittest.TestCase):
    def test_only_the_strict_form_is_an_answer(self):
        for wrong in ["HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
                      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n",
                      "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n",
                      "HTTP/1.1 204 No\r\nContent-Length: 0\r\n\r\n",
                      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                      "HTTP/1.1 200 OK\nContent-Length: 0\n\n\r\n\r\n",
                      "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n", "hello"]:
            with self.assertRaises(Malformed, msg=wrong):
                take_answer(wrong.encode(), 0, False, True)

    def test_a_head_only_answer_has_no_body(self):
        answer, end = take_answer(OK.encode(), 0, True, False)
        self.assertEqual((answer.status, answer.body, OK[end:]), (200, b"", "hello"))

    def test_a_part_of_an_answer_is_none_yet(self):
        for size in range(1, len(OK)):
            self.assertIsNone(take_answer(OK[:size].encode(), 0, False, False))

    def test_an_answer_to_head_is_told_from_others_by_what_was_sent(self):
        wire = Wire.__new__(Wire)
        wire.answers, wire.sent = [], bytearray(b"HEAD /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
        self.assertTrue(wire.next_is_head_only())
        wire.answers = [take_answer(OK.encode(), 0, True, False)[0]]
        self.assertFalse(wire.next_is_head_only())


if __name__ == "__main__":
    unittest.main()
