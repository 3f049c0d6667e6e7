/** GET /authcheck */
import Type from 'typebox';
import type { MerchantEndpoint } from '../endpoint.ts';

export const getAuthcheck: MerchantEndpoint = {
  id: 'checkToken',
  method: 'GET',
  path: '/authcheck',
  access: 'merchant',
  tag: 'Token',
  summary: 'Try a token',
  answer: Type.String(),
  handle: () => ({ status: 200, json: '"This message is authorized."' }),
};
