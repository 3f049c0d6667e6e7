/** GET /healthz and GET /readyz: for supervisors and load balancers. */
import { OneOf } from '../../../domain/check/schema.ts';
import { Type } from '../../../domain/check/type.ts';
import { requestProblem } from '../../../domain/problem.ts';
import type { GoodAnswer, OpenEndpoint } from '../../endpoint.ts';

const HealthAnswer = Type.Object(
  { status: OneOf(['ok'], { description: 'Result of the check.' }) },
  { title: 'Health', description: 'Result of a health check that passed.' },
);
const UNREADY = 'The database is damaged, does not respond, is locked, or its disk is full.';
const OK: GoodAnswer = Object.freeze({
  status: 200,
  json: '{"status":"ok"}',
  headers: Object.freeze({ 'cache-control': 'no-store' }),
});

const getHealth: OpenEndpoint = {
  id: 'getHealth',
  method: 'GET',
  path: '/healthz',
  access: 'open',
  isHealthCheck: true,
  tag: 'Health',
  summary: 'Check that the server responds',
  description: 'Needs no token and does not count towards the rate limit. It does not check the database.',
  answer: HealthAnswer,
  handle: () => OK,
};

const getReadiness: OpenEndpoint = {
  id: 'getReadiness',
  method: 'GET',
  path: '/readyz',
  access: 'open',
  isHealthCheck: true,
  tag: 'Health',
  summary: 'Check that the server can serve requests',
  description:
    'Needs no token and does not count towards the rate limit. Returns 503 when the database is damaged or does not ' +
    'respond, the disk is full, offers cannot be written because their table is locked, or the server is stopping. Reads ' +
    'still work when the disk is full.',
  answer: HealthAnswer,
  async handle({ services }) {
    if (await services.readiness.isReady()) return OK;
    return { problems: [requestProblem('store_unavailable', UNREADY)] };
  },
};

export const healthEndpoints: readonly OpenEndpoint[] = [getHealth, getReadiness];
