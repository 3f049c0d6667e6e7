/** Writes the activity log: every successful change by an operator or the marketplace's programs, and merchants' webhook changes. */
import type { Awaitable } from '../../domain/awaitable.ts';
import { isObject } from '../../domain/check/compile.ts';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import type {
  ActWords,
  Answer,
  BadAnswer,
  Call,
  MerchantCall,
  MerchantEndpoint,
  PersonCall,
  PersonEndpoint,
} from '../endpoint.ts';
import type { Exchange } from '../exchange.ts';
import { parameterShown } from '../query.ts';

/** Fields that identify the target of a call, in order of preference. */
const SUBJECT_FIELDS = ['email', 'merchant_id', 'id', 'code', 'brand', 'category', 'hash'] as const;

type RecordedEndpoint = Pick<PersonEndpoint, 'id' | 'method' | 'ofOneself' | 'act' | 'isRecorded'>;

/** Returns the response once the change is recorded; synchronously if there is nothing to record. */
export function record(exchange: Exchange, answer: Answer): Awaitable<Answer> {
  const { endpoint, isCalled } = exchange;
  if (!isCalled) return answer;
  if (endpoint?.access === 'person' || endpoint?.access === 'marketplace') return recordAct(endpoint, exchange, answer);
  return endpoint?.access === 'merchant' && endpoint.act ? recordMerchantAct(endpoint, exchange, answer) : answer;
}

/**
 * Records the change before the response. If recording fails, the response still reports success: it may show a one-time
 * secret, and a client would repeat a failed change. The failure is logged as an event instead.
 */
export async function recordAct(endpoint: RecordedEndpoint, call: PersonCall, answer: Answer): Promise<Answer> {
  const { person } = call;
  const isDone = !('problems' in answer);
  if (!isDone || person.role !== 'operator' || !isAct(endpoint)) return answer;
  if (endpoint.isRecorded?.(call) === false) return answer;
  const words = typeof endpoint.act === 'function' ? endpoint.act(call, answer) : wordsOf(call);
  const date = parameterShown(call.query, 'enforced_from');
  const detail = [words.detail, date && `enforced from ${date}`].filter(Boolean).join(', ');
  await addAct(call, person.email, endpoint.id, { ...words, detail });
  return answer;
}

/** Records a change by a merchant's program, or by one of its users. */
async function recordMerchantAct(endpoint: MerchantEndpoint, call: MerchantCall, answer: Answer): Promise<Answer> {
  if (endpoint.act === undefined) return answer;
  if ('problems' in answer) {
    call.services.portal.merchantActs.giveBack(call.account.accountId);
    return answer;
  }
  const by = call.by.replace(/^person:/, '').replace(/^key:/, 'key ');
  await addAct(call, by, endpoint.id, endpoint.act(call, answer));
  return answer;
}

/** Limits changes to a rate that the activity log can keep for two years and operators can read. */
export function refuseMerchantAct({ services, account }: MerchantCall): BadAnswer | undefined {
  const { allowed, limit, reset_seconds } = services.portal.merchantActs.take(
    account.accountId,
    services.monotonicMs(),
  );
  if (allowed) return undefined;
  const text = `Too many webhook changes: more than ${limit} in an hour. Retry after the number of seconds in Retry-After.`;
  const headers = { 'retry-after': String(Math.max(1, reset_seconds)) };
  return { problems: [requestProblem('webhook_changes_too_many', text)], headers };
}

async function addAct({ services }: Call, by: string, id: string, { subject, detail }: ActWords): Promise<void> {
  const act = {
    atMs: services.context.nowMs(),
    by,
    act: id,
    subject: subject.slice(0, LIMITS.act_detail_characters_max),
    detail: detail.slice(0, LIMITS.act_detail_characters_max),
  };
  try {
    await services.portal.people.addAct(act);
  } catch (error) {
    services.portal.onActUnrecorded(act, error);
  }
}

function isAct({ method, ofOneself, act }: RecordedEndpoint): boolean {
  return method !== 'GET' && act !== 'none' && (ofOneself !== true || act !== undefined);
}

/** The target is in the URL, or in the field that names it; the other fields are recorded as sent. */
function wordsOf({ targetId, body }: PersonCall): ActWords {
  const fields = Object.entries(isObject(body.value) ? body.value : {});
  const named = SUBJECT_FIELDS.map((name) => fields.find(([field]) => field === name)?.[1]).find(
    (found) => found !== undefined,
  );
  const subject = targetId === '' ? shown(named ?? '') : targetId;
  const others = fields.filter(([name, sent]) => !isSecret(name) && shown(sent) !== subject);
  return { subject, detail: others.map(([name, sent]) => `${name}: ${shown(sent)}`).join(', ') };
}

function isSecret(name: string): boolean {
  return /pass|secret|token/i.test(name);
}

function shown(sent: unknown): string {
  return typeof sent === 'string'
    ? sent
    : JSON.stringify(sent, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
}
