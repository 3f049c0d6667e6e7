/**
 * Handles requests with an `Idempotency-Key` once: a repeat gets the stored response, and writes nothing.
 *
 * Some responses are not stored: failures of the server (500, 503), refusals by a limit after the claim (429), very long responses, and
 * responses of a process that died. A repeat then runs, but its writes count as sent with the first request: they never replace newer data. See
 * docs/decisions/0037.
 */
import { hash, randomUUID } from 'node:crypto';
import { LIMITS } from '../domain/limits.ts';
import type { Outcome } from '../domain/outcome.ts';
import { requestProblem } from '../domain/problem.ts';
import type { NewTag } from '../operations/offers/write.ts';
import { KeyNotStoredError } from '../store/port/errors.ts';
import type { ClaimOutcome, HeldKey, KeyClaim } from '../store/port/idempotency.ts';
import { acceptedAnswer } from './answers/answers.ts';
import { problemStatus } from './answers/problem-status.ts';
import type { Answer, BadAnswer, Call, MerchantCall, MerchantEndpoint } from './endpoint.ts';

export const KEY_HEADER = 'idempotency-key';

/** Keys consist of visible ASCII characters. */
const KEY = new RegExp(`^[!-~]{1,${LIMITS.idempotency_key_characters_max}}$`);
/** A request runs for at most 2 seconds on a remote database. The rest of the lease allows for slow disks. */
const LEASE_MS = LIMITS.idempotency_lease_seconds * 1000;
/** Length of a fingerprint: 132 bits. An account may have millions of keys, so rows are small. */
const FINGERPRINT_CHARACTERS = 22;

export const KEY_REUSED = requestProblem(
  'idempotency_key_reused',
  'This Idempotency-Key was used for another request. Use a new key for each new write, and the same key only for its retries.',
);
export const KEY_IN_USE = requestProblem('idempotency_key_in_use');

interface Keyed extends Omit<Call, 'body'>, Pick<MerchantCall, 'account' | 'changeId'> {
  /** The raw body; null for a call without one. */
  readonly bytes: Buffer | null;
}

/** Handles this run of the request. */
type Run = (own: Pick<MerchantCall, 'firstRunNumber' | 'newId' | 'keyed'>) => Answer | Promise<Answer>;

export async function answerOnce(
  request: Keyed,
  { id, storesKey }: Pick<MerchantEndpoint, 'id' | 'storesKey'>,
  key: string,
  run: Run,
): Promise<Answer> {
  if (!KEY.test(key)) return keyInvalid();
  const { accountId } = request.account;
  const { idempotency, context } = request.services;
  const claim = { accountId, key, fingerprint: fingerprintOf(request, id) };
  if (storesKey && request.precondition === undefined) {
    const answer = await answerWithKey(claim, run);
    if (answer !== undefined) return answer;
  }
  const claimed = await idempotency.claimKey(claim, context.nowMs(), LEASE_MS);
  if (claimed.state !== 'claimed') return repeatedAnswer(claimed);

  const held = { accountId, key, number: claimed.number };
  let text: string | undefined;
  try {
    const firstRunNumber = claimed.isRepeat ? held.number : undefined;
    const answer = await run({ firstRunNumber, newId: () => idOf(held), keyed: undefined });
    text = storedText(answer);
    if (text !== undefined) await idempotency.storeAnswer(held, text);
    return answer;
  } finally {
    // If this fails too, the lease expires.
    if (text === undefined) await idempotency.releaseKey(held).catch(() => {});
  }
}

/**
 * Stores the key in the commit of the write: most requests are first ones, and are accepted. Returns undefined if this one is a repeat or
 * is not accepted.
 */
async function answerWithKey({ key, fingerprint }: KeyClaim, run: Run): Promise<Answer | undefined> {
  const answerTo = (outcome: Outcome<NewTag>) => {
    const text = storedText(acceptedAnswer(outcome));
    if (text === undefined) throw new KeyNotStoredError('The response is too long to be stored.');
    return text;
  };
  try {
    const answer = await run({ firstRunNumber: undefined, newId: randomUUID, keyed: { key, fingerprint, answerTo } });
    return 'problems' in answer ? undefined : answer;
  } catch (error) {
    if (error instanceof KeyNotStoredError) return undefined;
    throw error;
  }
}

/** Identifies a request with its preconditions: every spelling of a path has the same fingerprint. */
function fingerprintOf({ skuId, targetId, changeId, query, headers, bytes }: Keyed, endpointId: string): string {
  const parts = [endpointId, skuId || targetId, changeId, query, headers['if-match'], headers['if-none-match']];
  const text = `${JSON.stringify(parts)}\n${bytes?.toString('latin1') ?? ''}`;
  return hash('sha256', text, 'base64').slice(0, FINGERPRINT_CHARACTERS);
}

/** Derives a UUID from the key, so that every run of the request has the same one. */
function idOf({ accountId, key, number }: HeldKey): string {
  const hex = hash('sha256', `${accountId} ${number} ${key}`);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}

/** Returns the response as JSON to store; undefined if it must not be stored. */
function storedText(answer: Answer): string | undefined {
  const status = 'problems' in answer ? problemStatus(answer.problems[0]?.code ?? 'internal_error') : answer.status;
  if (status === 429 || status >= 500) return undefined;
  const { repeatedJson, ...stored } = 'problems' in answer ? { ...answer, repeatedJson: undefined } : answer;
  const text = JSON.stringify(repeatedJson === undefined ? stored : { ...stored, json: repeatedJson });
  return text.length <= LIMITS.idempotency_answer_characters_max ? text : undefined;
}

function repeatedAnswer(found: Exclude<ClaimOutcome, { readonly state: 'claimed' }>): Answer {
  if (found.state === 'other_request') return { problems: [KEY_REUSED] };
  if (found.state === 'running') {
    // The first request may have been interrupted, so only the end of its lease is certain.
    const seconds = Math.max(Math.ceil(found.left_ms / 1000), 1);
    return { problems: [KEY_IN_USE], headers: { 'retry-after': String(seconds) } };
  }
  const answer: Answer = JSON.parse(found.answer);
  return { ...answer, headers: { ...answer.headers, 'idempotent-replayed': 'true' } };
}

function keyInvalid(): BadAnswer {
  const text = `The Idempotency-Key header must have 1 to ${LIMITS.idempotency_key_characters_max} visible ASCII characters.`;
  return { problems: [requestProblem('idempotency_key_invalid', text)] };
}
