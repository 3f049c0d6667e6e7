/** Tests which changes are recorded, and that a change that cannot be recorded is reported and still succeeds. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LIMITS } from '../../domain/limits.ts';
import { requestProblem } from '../../domain/problem.ts';
import type { PortalRole } from '../../domain/vocabulary/portal-roles.ts';
import { StoreUnavailableError } from '../../store/port/errors.ts';
import type { Act } from '../../store/port/people.ts';
import type { Answer, PersonCall, PersonEndpoint } from '../endpoint.ts';
import { recordAct } from './record-act.ts';

const NOW_MS = 1_000;
const ENDPOINT: PersonEndpoint = {
  id: 'addUser',
  method: 'POST',
  path: '/users',
  access: 'person',
  tag: 'Users',
  roles: ['operator'],
  summary: 'Add a user',
  handle: () => assert.fail('It was called before.'),
};
const DONE: Answer = { status: 200, json: '{"link":"shown this once"}' };
const ACT: Act = { atMs: NOW_MS, by: 'op@market.example', act: 'addUser', subject: 'ann', detail: 'role: operator' };

interface Noted {
  readonly acts: Act[];
  readonly unrecorded: unknown[];
}

function callOf(noted: Noted, role: PortalRole, body: unknown, failure?: Error): PersonCall {
  const addAct = async (act: Act) => {
    if (failure !== undefined) throw failure;
    noted.acts.push(act);
  };
  const onActUnrecorded = (act: unknown, error: unknown) => noted.unrecorded.push([act, error]);
  const services = { context: { nowMs: () => NOW_MS }, portal: { people: { addAct }, onActUnrecorded } };
  const person = { email: ACT.by, role };
  return { services, person, targetId: '', query: '', body: { value: body, problems: [] } } as unknown as PersonCall;
}

it("an operator's change is recorded with the fields that were sent, cut at the limit, without secrets", async () => {
  const noted: Noted = { acts: [], unrecorded: [] };
  const sent = { email: 'ann', role: 'operator', password: 'secret' };
  assert.equal(await recordAct(ENDPOINT, callOf(noted, 'operator', sent), DONE), DONE);
  const long = 'x'.repeat(LIMITS.act_detail_characters_max + 1);
  await recordAct(ENDPOINT, callOf(noted, 'operator', { email: long }), DONE);
  assert.deepEqual(noted, { acts: [ACT, { ...ACT, subject: long.slice(1), detail: '' }], unrecorded: [] });
});

it('a change with a date is recorded with the date', async () => {
  const noted: Noted = { acts: [], unrecorded: [] };
  const call = { ...callOf(noted, 'operator', { email: 'ann' }), query: 'enforced_from=2030-03-01T00:00:00Z' };
  await recordAct(ENDPOINT, call, DONE);
  assert.deepEqual(noted.acts, [{ ...ACT, detail: 'enforced from 2030-03-01T00:00:00Z' }]);
});

it('refused changes, and changes by others, are not recorded', async () => {
  const noted: Noted = { acts: [], unrecorded: [] };
  const refused: Answer = { problems: [requestProblem('user_exists', 'There is one.')] };
  assert.equal(await recordAct(ENDPOINT, callOf(noted, 'operator', {}), refused), refused);
  assert.equal(await recordAct(ENDPOINT, callOf(noted, 'merchant-admin', {}), DONE), DONE);
  assert.deepEqual(noted, { acts: [], unrecorded: [] });
});

it('a change that cannot be recorded succeeds and is reported', async () => {
  const noted: Noted = { acts: [], unrecorded: [] };
  const failure = new StoreUnavailableError('The disk is full.');
  const call = callOf(noted, 'operator', { email: 'ann', role: 'operator' }, failure);
  assert.equal(await recordAct(ENDPOINT, call, DONE), DONE);
  assert.deepEqual(noted, { acts: [], unrecorded: [[ACT, failure]] });
});
