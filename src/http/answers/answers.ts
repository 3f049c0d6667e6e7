/** Builds the responses that many endpoints share: accepted, changed, refused, and JSON. */
import { stringifyExactJson } from '../../domain/int64.ts';
import type { Outcome, Refused } from '../../domain/outcome.ts';
import type { Answer, BadAnswer } from '../endpoint.ts';
import type { Services } from '../services.ts';

/** Headers of responses that must not be stored, such as responses with secrets or signed URLs. */
export const NOT_KEPT = Object.freeze({ 'cache-control': 'no-store' });

/** The success response of calls that return no data: 202 without a body, once the change is durable. The value is the new tag, if any. */
export function acceptedAnswer(outcome: Outcome<string | null | undefined>): Answer {
  if (!outcome.ok) return refusedAnswer(outcome);
  const { value: tag, ignored } = outcome;
  return typeof tag === 'string' ? { status: 202, headers: etagHeader(tag), ignored } : { status: 202, ignored };
}

export function refusedAnswer(refused: Refused): BadAnswer {
  const { currentTag } = refused;
  return typeof currentTag === 'string' ? { ...refused, headers: etagHeader(currentTag) } : refused;
}

/** `tagOf` returns the tag for `ETag`; null if there is none. */
export function foundAnswer<T>(
  outcome: Outcome<T>,
  toJson: (value: T) => string,
  tagOf?: (value: T) => string | null,
): Answer {
  if (!outcome.ok) return outcome;
  const json = toJson(outcome.value);
  const tag = tagOf?.(outcome.value);
  return typeof tag === 'string' ? { status: 200, json, headers: etagHeader(tag) } : { status: 200, json };
}

/**
 * Responds to a change of settings once the same user's next request sees it: 200 with the result of `shape`, or 202 without a body if
 * there is no `shape`.
 */
export async function changedAnswer<T>(
  services: Pick<Services, 'followSetup'>,
  outcome: Outcome<T>,
  shape?: (value: T) => unknown,
): Promise<Answer> {
  if (!outcome.ok) return refusedAnswer(outcome);
  await services.followSetup();
  const { ignored } = outcome;
  if (shape === undefined) return { status: 202, ignored };
  return { status: 200, json: stringifyExactJson(shape(outcome.value)), ignored };
}

function etagHeader(tag: string): { readonly etag: string } {
  return { etag: `"${tag}"` };
}
