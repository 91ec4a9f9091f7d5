import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { ProvenanceRecorder } from "../../../src/service/paging/provenanceRecorder.js";

const request = { operation: "bills", path: "/bills", query: [] } as const;

it("hashes the bodies in order, and the provenance between two responses covers those before it", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 }), (bodies) => {
      const recorder = new ProvenanceRecorder(request, { baseUrl: "http://x", source: "x", snapshot: null });
      const before: Uint8Array[] = [];
      for (const bytes of bodies) {
        const at = new Date();
        recorder.addResponse({
          status: 200,
          body: Buffer.from(bytes),
          headers: {},
          requests: 1,
          retries: 0,
          sentAt: at,
          receivedAt: at,
        });
        before.push(bytes);
        const expected = createHash("sha256").update(Buffer.concat(before)).digest("hex");
        expect(recorder.provenance().sha256).toBe(expected);
      }
    }),
  );
});
