/** Writes the activity log: every successful change by an operator in the portal. */
import { isObject } from '../../domain/check/compile.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ActWords, Answer, PersonCall, PersonEndpoint } from '../endpoint.ts';

/** Fields that identify the target of a call, in order of preference. */
const SUBJECT_FIELDS = ['email', 'merchant_id', 'id', 'code', 'brand', 'category', 'hash'] as const;

/**
 * Records the change before the answer. If recording fails, the answer still reports success: it may show a one-time
 * secret, and a client would repeat a failed change. The failure is logged as an event instead.
 */
export async function recordAct(endpoint: PersonEndpoint, call: PersonCall, answer: Answer): Promise<Answer> {
  const { person, services } = call;
  const isDone = !('problems' in answer);
  if (!isDone || person.role !== 'operator' || !isAct(endpoint)) return answer;
  if (endpoint.isRecorded?.(call) === false) return answer;
  const { subject, detail } = typeof endpoint.act === 'function' ? endpoint.act(call) : wordsOf(call);
  const act = {
    atMs: services.context.nowMs(),
    by: person.email,
    act: endpoint.id,
    subject: subject.slice(0, LIMITS.act_detail_characters_max),
    detail: detail.slice(0, LIMITS.act_detail_characters_max),
  };
  try {
    await services.portal.people.addAct(act);
  } catch (error) {
    services.portal.onActUnrecorded(act, error);
  }
  return answer;
}

function isAct({ method, ofOneself, act }: PersonEndpoint): boolean {
  return method !== 'GET' && ofOneself !== true && act !== 'none';
}

/** The target is the value in the URL, or the field that names it; the other fields are recorded as sent. */
function wordsOf({ value, body }: PersonCall): ActWords {
  const fields = Object.entries(isObject(body.value) ? body.value : {});
  const named = SUBJECT_FIELDS.map((name) => fields.find(([field]) => field === name)?.[1]).find(
    (found) => found !== undefined,
  );
  const subject = value === '' ? shown(named ?? '') : decoded(value);
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

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
