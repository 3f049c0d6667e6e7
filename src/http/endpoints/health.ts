/** GET /healthz and GET /readyz: for supervisors and load balancers. */
import Type from 'typebox';
import { requestProblem } from '../../domain/problem.ts';
import type { GoodAnswer, OpenEndpoint } from '../endpoint.ts';

const HealthAnswer = Type.Object({ status: Type.String({ description: '`ok`' }) });
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
  summary: 'See that the server answers',
  description: 'Needs no token and counts towards no rate. It asks nobody else: a store that is down does not show.',
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
  summary: 'See that the server can take requests',
  description:
    'Needs no token and counts towards no rate. 503 when the store does not answer, has no room to write, or the server ' +
    'stops. Reads go on where only room is lacking.',
  answer: HealthAnswer,
  async handle({ services }) {
    if (await services.readiness.isReady()) return OK;
    return { problems: [requestProblem('store_unavailable', 'The database does not answer, or its disk is full.')] };
  },
};

export const healthEndpoints: readonly OpenEndpoint[] = [getHealth, getReadiness];
