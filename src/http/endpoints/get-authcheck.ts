/** GET /authcheck */
import { Type } from '../../domain/check/type.ts';
import type { MerchantEndpoint } from '../endpoint.ts';

export const getAuthcheck: MerchantEndpoint = {
  id: 'checkToken',
  method: 'GET',
  path: '/authcheck',
  access: 'merchant',
  tag: 'Token',
  summary: 'Check a token',
  answer: Type.String({ description: 'A fixed text.' }),
  handle: () => ({ status: 200, json: '"This message is authorized."' }),
};
