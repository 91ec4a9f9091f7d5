import { badRequest, notFound } from "../server/Fault.js";
import type { OperationRequest } from "./OperationRequest.js";

/** GET /programs/{id}: one flat object. Only the numeric id will do: a public id such as "556839-1" is a 400. */
export function program({ archive, id }: OperationRequest): object {
  if (/^[0-9]+-[0-9]+$/.test(id))
    throw badRequest("a public id is not accepted here; use the numeric id of a search result");
  if (!/^[0-9]+$/.test(id)) throw badRequest("the id must be the numeric id of a search result");
  const found = archive.corpus.programs.find((candidate) => candidate.row.id === Number(id));
  if (!found) throw notFound("there is no program of this id");
  return { ...found.row, publicId: found.publicId, videoDuration: found.duration };
}
