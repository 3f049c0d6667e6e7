/** Tests the returns exception of a SKU: upload, clearing and reading. */
import assert from 'node:assert/strict';
import { type ApiClient, problemAt, requestProblem } from '../harness/api-client.ts';
import { describeApi } from '../harness/contract-cases.ts';
import { archive, assertCheckOrder, refusesArchivedSku, refusesUnknownSku } from './fixtures/check-order.ts';
import { addMerchant, RETURNS_EAST, RETURNS_WEST } from './fixtures/merchant-setup.ts';
import { together } from './fixtures/parallel.ts';

const UNKNOWN = 'must be one of your return locations';
const FROM_SETUP = { time_to_return: 30, return_shipping_methods: ['<carrier_2> Ground'] };

const locations = (...return_location_ids: readonly unknown[]): Record<string, unknown> => ({ return_location_ids });

const sendReturns = async (api: ApiClient, body: Record<string, unknown>) =>
  api.put(`${await api.uploadedSku()}/returnsexception`, body);

async function uploadedWith(api: ApiClient, ...ids: readonly string[]): Promise<string> {
  const path = await api.uploadedSku();
  await api.accepted('PUT', `${path}/returnsexception`, locations(...ids));
  return path;
}

async function readsBack(api: ApiClient, path: string, ...ids: readonly string[]): Promise<void> {
  assert.deepEqual(await api.found(`${path}/returnsexception`), { ...locations(...ids), ...FROM_SETUP });
}

async function hasNoException(api: ApiClient, path: string): Promise<void> {
  const skuId = path.slice(path.lastIndexOf('/') + 1);
  const problem = requestProblem('returns_exception_unset', `SKU ${skuId} has no returns exception.`);
  await api.refused('GET', `${path}/returnsexception`, undefined, [problem], 404);
}

describeApi('returns exception', ({ accepts, refuses, bounds }) => {
  bounds('RET-01', {
    send: sendReturns,
    accepted: { 'one location': locations(RETURNS_EAST), 'all locations': locations(RETURNS_WEST, RETURNS_EAST) },
    refused: {
      'unknown locations': {
        body: locations('nowhere', RETURNS_EAST, RETURNS_EAST.toUpperCase(), ''),
        problems: [0, 2, 3].map((i) => problemAt('return_location_unknown', `return_location_ids[${i}]`, UNKNOWN)),
      },
      'a fulfillment node in place of a location': {
        body: locations('demo-node-east'),
        problems: [problemAt('return_location_unknown', 'return_location_ids[0]', UNKNOWN)],
      },
    },
  });

  bounds('RET-02', {
    send: sendReturns,
    accepted: { 'texts in a list': locations(RETURNS_EAST) },
    refused: {
      'a text in place of the list': {
        body: { return_location_ids: RETURNS_EAST },
        problems: [problemAt('wrong_type', 'return_location_ids', 'must be a list')],
      },
      'entries that are not texts': {
        body: locations(7, null, { id: RETURNS_EAST }),
        problems: [0, 1, 2].map((i) => problemAt('wrong_type', `return_location_ids[${i}]`, 'must be a string')),
      },
      'an id of 2,001 characters': {
        body: locations('x'.repeat(2001)),
        problems: [problemAt('too_long', 'return_location_ids[0]', 'must have at most 2000 characters')],
      },
    },
  });

  bounds('RET-03', {
    send: sendReturns,
    accepted: { '100 ids': locations(...Array(100).fill(RETURNS_EAST)) },
    refused: {
      '101 entries, and checks none of them': {
        body: locations(...Array(101).fill(7)),
        problems: [problemAt('too_many', 'return_location_ids', 'must have at most 100 entries')],
      },
    },
  });

  for (const [what, body] of [
    ['an empty object', {}],
    ['an empty list', locations()],
    ['an empty list with an unknown field', { ...locations(), note: 'none' }],
  ] as const) {
    accepts('RET-04', `${what}, which clears the exception`, async (api) => {
      const path = await uploadedWith(api, RETURNS_EAST);
      await api.accepted('PUT', `${path}/returnsexception`, body);
      await hasNoException(api, path);
      await api.accepted('PUT', `${path}/returnsexception`, body);
    });
  }
  const needsList = problemAt(
    'list_required_to_clear',
    'return_location_ids',
    'is required. To clear, send {} or an empty list',
  );
  for (const [what, body, problem] of [
    ['a null list', { return_location_ids: null }, needsList],
    ['a misspelled list', { return_location_id: [] }, needsList],
    ['only what the service sets', { time_to_return: 10 }, needsList],
    ['no body', undefined, requestProblem('body_missing', 'The call needs a JSON body.')],
    ['a null body', 'null', requestProblem('body_not_object', 'The body must be a JSON object.')],
    ['a bare list', [], requestProblem('body_not_object', 'The body must be a JSON object.')],
  ] as const) {
    refuses('RET-04', `${what}, and clears nothing`, async (api) => {
      const path = await uploadedWith(api, RETURNS_EAST);
      await api.refused('PUT', `${path}/returnsexception`, body, [problem]);
      await readsBack(api, path, RETURNS_EAST);
    });
  }

  accepts('RET-05', 'a second upload, which replaces the locations', async (api) => {
    const path = await uploadedWith(api, RETURNS_EAST);
    await api.accepted('PUT', `${path}/returnsexception`, locations(RETURNS_WEST));
    await readsBack(api, path, RETURNS_WEST);
  });
  refuses('RET-05', 'an invalid second upload, and keeps the locations', async (api) => {
    const path = await uploadedWith(api, RETURNS_EAST);
    await api.refused('PUT', `${path}/returnsexception`, locations(RETURNS_WEST, 'nowhere'), [
      problemAt('return_location_unknown', 'return_location_ids[1]', UNKNOWN),
    ]);
    await readsBack(api, path, RETURNS_EAST);
  });

  accepts('RET-06', 'a read in the order sent, with days and methods of the default setup', async (api) => {
    const path = await uploadedWith(api, RETURNS_WEST, RETURNS_EAST);
    await readsBack(api, path, RETURNS_WEST, RETURNS_EAST);
  });

  for (const [days, methods] of [
    [1, ['Freight', '<carrier_4> Ground']],
    [30, ['Freight', '<carrier_2> Ground', '<carrier_4> Ground']],
  ] as const) {
    accepts('RET-07', `a read with ${days} days and ${methods.length} methods of the setup`, async (api) => {
      const setup = { timeToReturnDays: days, returnShippingMethods: methods };
      const { test } = await addMerchant(api, setup, async (store, accounts) => {
        await store.settings.addReturnLocation(accounts.test, 'own-returns');
      });
      const path = await uploadedWith(test, 'own-returns');
      const expected = { ...locations('own-returns'), time_to_return: days, return_shipping_methods: [...methods] };
      assert.deepEqual(await test.found(`${path}/returnsexception`), expected);
      const { return_location_ids, time_to_return, return_shipping_methods } = await test.found(path);
      assert.deepEqual({ return_location_ids, time_to_return, return_shipping_methods }, expected);
    });
  }

  accepts('RET-08', 'days and methods in an upload, which it ignores and names', async (api) => {
    const path = await api.uploadedSku();
    const answer = await api.accepted('PUT', `${path}/returnsexception`, {
      ...locations(RETURNS_EAST),
      time_to_return: 0,
      return_shipping_methods: 'Pigeon',
    });
    const ignored = ['/time_to_return', '/return_shipping_methods'].map(encodeURIComponent);
    assert.equal(answer.headers.get('x-ignored-fields'), ignored.join(', '));
    await readsBack(api, path, RETURNS_EAST);
  });

  accepts('RET-09', 'a SKU read with the exception while there is one', async (api) => {
    const path = await uploadedWith(api, RETURNS_EAST);
    const shown = async () => {
      const { return_location_ids, time_to_return, return_shipping_methods } = await api.found(path);
      return { return_location_ids, time_to_return, return_shipping_methods };
    };
    assert.deepEqual(await shown(), { ...locations(RETURNS_EAST), ...FROM_SETUP });
    await api.accepted('PUT', `${path}/returnsexception`, {});
    assert.deepEqual(await shown(), {
      return_location_ids: undefined,
      time_to_return: undefined,
      return_shipping_methods: undefined,
    });
  });

  refuses('RET-10', 'to read the exception of a SKU that has none', async (api) => {
    await hasNoException(api, await api.uploadedSku());
  });

  refuses('RET-11', 'a SKU that was never uploaded', async (api) => {
    await refusesUnknownSku(api, 'PUT', 'returnsexception', locations(RETURNS_EAST));
    await refusesUnknownSku(api, 'PUT', 'returnsexception', {});
    await refusesUnknownSku(api, 'GET', 'returnsexception');
  });

  refuses('RET-12', 'to change an archived SKU', async (api) => {
    await refusesArchivedSku(api, 'PUT', 'returnsexception', locations(RETURNS_EAST));
    await refusesArchivedSku(api, 'PUT', 'returnsexception', {});
  });
  accepts('RET-12', 'to read the exception of an archived SKU', async (api) => {
    const path = await uploadedWith(api, RETURNS_EAST);
    await archive(api, path);
    await readsBack(api, path, RETURNS_EAST);
  });

  refuses('RET-13', 'in the order of checks', (api) =>
    assertCheckOrder(api, 'PUT', 'returnsexception', {
      faulty: {
        body: locations('nowhere', 7),
        problems: [problemAt('wrong_type', 'return_location_ids[1]', 'must be a string')],
      },
      misfit: {
        body: locations('nowhere'),
        problems: [problemAt('return_location_unknown', 'return_location_ids[0]', UNKNOWN)],
      },
    }),
  );

  accepts('RET-14', '50 uploads at once to one SKU, of which one is stored completely', async (api) => {
    const path = await api.uploadedSku();
    const choices = [locations(RETURNS_EAST, RETURNS_WEST), locations(RETURNS_WEST, RETURNS_EAST)];
    await together(50, (i) => api.accepted('PUT', `${path}/returnsexception`, choices[i % 2]));
    const { return_location_ids } = await api.found(`${path}/returnsexception`);
    assert.ok(choices.some((choice) => String(choice.return_location_ids) === String(return_location_ids)));
  });
});
