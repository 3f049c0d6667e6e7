/** In charge of answers that clients may keep: each has an `ETag`, and whoever sends it back gets a 304. */
import { createHash } from 'node:crypto';
import type { GoodAnswer, MerchantCall } from '../endpoint.ts';

/** Moves when the form of an answer changes, so that nobody keeps one of the old form. */
const ANSWER_FORM = '1';

/**
 * `contentTag` tells the content from every other; the names in force are added to it. For requests that nothing is wrong
 * with: a faulty one is told so whatever it says in `If-None-Match`.
 */
export function taggedAnswer(call: MerchantCall, contentTag: string, answer: () => GoodAnswer): GoodAnswer {
  const name = call.services.context.names.field('marketplace_node_id');
  const names = createHash('sha256').update(`${ANSWER_FORM} ${name}`).digest('base64url').slice(0, 6);
  const etag = `"${contentTag}.${names}"`;
  // Kept by the client only, and asked about each time: a change counts within seconds.
  const headers = { etag, 'cache-control': 'private, no-cache' };
  if (isKnown(call.headers['if-none-match'], etag)) return { status: 304, headers };
  const found = answer();
  return { ...found, headers: { ...headers, ...found.headers } };
}

/** Weak tags count too; a proxy that compresses makes weak ones of ours. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
