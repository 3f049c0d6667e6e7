/** Builds responses with an `ETag`, and recognizes the copies that clients have. */
import { createHash } from 'node:crypto';
import type { Call, GoodAnswer } from '../endpoint.ts';

/** Increase this when the format of a response changes, so that no client keeps the old format. */
const ANSWER_FORM = '1';

/**
 * Returns a response with an `ETag`. A client that sends the tag back gets a 304.
 *
 * `contentTag` identifies the content; the configured names are added to it. Call it for valid requests only: an
 * invalid request is refused whatever its `If-None-Match` says.
 */
export function taggedAnswer(
  call: Pick<Call, 'services' | 'headers'>,
  contentTag: string,
  answer: () => GoodAnswer,
): GoodAnswer {
  const name = call.services.context.names.field('marketplace_node_id');
  const names = createHash('sha256').update(`${ANSWER_FORM} ${name}`).digest('base64url').slice(0, 6);
  const etag = `"${contentTag}.${names}"`;
  // Only the client may cache the response, and it revalidates each time, so changes are visible within seconds.
  const headers = { etag, 'cache-control': 'private, no-cache' };
  if (isKnown(call.headers['if-none-match'], etag)) return { status: 304, headers };
  const found = answer();
  return { ...found, headers: { ...headers, ...found.headers } };
}

/** Weak tags match too, because a proxy that compresses responses weakens our tag. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
}
