/** Reads `If-Match` and `If-None-Match` of writes, and passes them on to the operation. */
import { isObject, isPresent } from '../domain/check/compile.ts';
import { type Outcome, refuse } from '../domain/outcome.ts';
import type { Precondition } from '../domain/precondition.ts';
import { type Problem, requestProblem } from '../domain/problem.ts';
import type { DryRun, DryRunOperation } from '../operations/offers/dry-run.ts';
import type { WriteOperation, WriteRequest } from '../operations/offers/write.ts';
import { acceptedAnswer } from './answers/answers.ts';
import type { Answer, Call, MerchantCall } from './endpoint.ts';

type Read = (call: Call) => Precondition | Problem | undefined;

const asRead: Read = ({ precondition }) => precondition;

/** Handles a write to a SKU. */
export async function writeAnswer(call: MerchantCall, write: WriteOperation, read: Read = asRead): Promise<Answer> {
  const request = readRequest(call, read);
  if ('code' in request) return { problems: [request] };
  return acceptedAnswer(await write(call.services.context, request, call.by));
}

/** Handles a dry run of a write to a SKU. */
export async function writeDryRun(
  call: MerchantCall,
  dryRun: DryRunOperation,
  read: Read = asRead,
): Promise<Outcome<DryRun>> {
  const request = readRequest(call, read);
  return 'code' in request ? refuse([request]) : dryRun(call.services.context, request);
}

function readRequest(call: MerchantCall, read: Read): WriteRequest | Problem {
  const { account, skuId, body, firstRunNumber, keyed } = call;
  const precondition = read(call);
  if (precondition !== undefined && 'code' in precondition) return precondition;
  return { account, skuId, body, precondition, firstRunNumber, keyed };
}

export function readPrecondition(headers: Call['headers']): Precondition | Problem | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  const tags = ifMatch === undefined ? undefined : readTags(ifMatch);
  if (ifMatch !== undefined && tags === undefined) {
    return headerProblem('If-Match', 'must be * or a comma-separated list of ETags in double quotes');
  }
  if (ifNoneMatch === undefined) return { ...(tags && { ifMatch: tags }) };
  if (ifNoneMatch.trim() !== '*') return headerProblem('If-None-Match', 'must be * on a write');
  return { ...(tags && { ifMatch: tags }), ifNoneMatch: '*' };
}

/** Checks the precondition of a whole offer. Only a body with SKU data can create the SKU. */
export const readOfferPrecondition: Read = ({ precondition, body }) => {
  const hasSku = isObject(body.value) && isPresent(body.value.sku);
  if (precondition?.ifNoneMatch === undefined || hasSku) return precondition;
  return headerProblem('If-None-Match', 'is only supported with sku in the body');
};

/** Weak tags match too, because a proxy that compresses responses weakens our tag. */
const TAG = /^(?:W\/)?"([\x21\x23-\x7e]*)"$/;

/** Returns undefined if the header is malformed. */
function readTags(header: string): readonly string[] | '*' | undefined {
  if (header.trim() === '*') return '*';
  const tags = header.split(',').map((tag) => TAG.exec(tag.trim())?.[1]);
  return tags.every((tag) => tag !== undefined) ? tags : undefined;
}

function headerProblem(name: string, text: string): Problem {
  return requestProblem('header_invalid', `${name}: ${text}.`);
}
