/** Tests the fields of a shipping exception: their vocabularies, and how they depend on each other. */
import assert from 'node:assert/strict';
import type { ApiClient } from '../harness/api-client.ts';
import { describeBodyRules } from '../harness/contract-cases.ts';
import { respell } from '../harness/spellings.ts';
import { atEast, exception, exceptionProblem, INCLUDE, METHOD, sendExceptions } from './fixtures/shipping-bodies.ts';

const SERVICE_LEVELS = [
  'Second Day',
  'Next Day',
  'Priority',
  'Expedited',
  'Standard',
  'Scheduled (freight)',
  '5 to 10 Day',
  '11 to 20 Day',
  '21 to 30 Day',
  'Scheduled (freight 11 to 20 day)',
  'Scheduled (freight 21 to 30 day)',
];
const SHIPPING_METHODS = [
  '<carrier_1> Global Mail',
  '<carrier_2> 2 Day',
  '<carrier_2> Express Saver',
  '<carrier_2> First Overnight',
  '<carrier_2> Ground',
  '<carrier_2> Home Delivery',
  '<carrier_2> Priority Overnight',
  '<carrier_2> Smart Post',
  '<carrier_2> Standard Overnight',
  'Freight',
  '<carrier_3> Ground',
  '<carrier_4> 2nd Day Air AM',
  '<carrier_4> 2nd Day Air',
  '<carrier_4> 3 Day Select',
  '<carrier_4> Ground',
  '<carrier_4> Mail Innovations',
  '<carrier_4> Next Day Air Saver',
  '<carrier_4> Next Day Air',
  '<carrier_4> SurePost',
  '<carrier_5> First Class Mail',
  '<carrier_5> Media Mail',
  '<carrier_5> Priority Mail Express',
  '<carrier_5> Priority Mail',
  '<carrier_5> Standard Post',
];
const ONE_LEVEL = `must be one of: ${SERVICE_LEVELS.join(', ')}`;
const ONE_METHOD = `must be one of: ${SHIPPING_METHODS.join(', ')}`;
const ONE_TYPE = 'must be one of: exclusive, restricted, include';
const ONE_OVERRIDE = 'must be one of: Override charge, Additional charge';
const AMOUNT = 'must be a number from 0 to 1000000000';

/** Each value breaks only this rule if it replaces the field's valid value. */
async function refusesValues(
  api: ApiClient,
  field: string,
  rule: string,
  valuesByCode: Readonly<Record<string, readonly unknown[]>>,
): Promise<void> {
  const path = `${await api.uploadedSku()}/shippingexception`;
  const good = { ...INCLUDE, override_type: 'Override charge', shipping_charge_amount: 1 };
  for (const [code, values] of Object.entries(valuesByCode)) {
    for (const value of values) {
      const problem = exceptionProblem(code, `[0].${field}`, rule);
      await api.refused('PUT', path, atEast({ ...good, [field]: value }), [problem]);
    }
  }
}

async function readsBack(api: ApiClient, body: Record<string, unknown>): Promise<void> {
  const path = `${await api.uploadedSku()}/shippingexception`;
  await api.accepted('PUT', path, body);
  assert.deepEqual(await api.found(path), body);
}

/** Sends in the given spelling, regardless of the spelling of the test. */
async function putUnchanged(api: ApiClient, path: string, body: unknown): Promise<number> {
  const response = await fetch(`${api.server.url}${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${api.token}` },
    body: JSON.stringify(body),
  });
  return response.status;
}

describeBodyRules('fields of a shipping exception', ({ accepts, refuses, bounds }) => {
  accepts('SHIP-07', 'every service level', (api) =>
    readsBack(api, atEast(...SERVICE_LEVELS.map((service_level) => exception('include', { service_level })))),
  );
  refuses('SHIP-07', 'other service levels', (api) =>
    refusesValues(api, 'service_level', ONE_LEVEL, {
      not_allowed: ['Third Day', 'standard', 'Standard ', 'Scheduled', ''],
      wrong_type: [1, true, ['Standard']],
    }),
  );

  accepts('SHIP-08', 'every shipping method', (api) =>
    readsBack(api, atEast(...SHIPPING_METHODS.map((shipping_method) => exception('include', { shipping_method })))),
  );
  refuses('SHIP-08', 'other shipping methods', (api) =>
    refusesValues(api, 'shipping_method', ONE_METHOD, {
      not_allowed: [
        'Pigeon',
        'freight',
        '<carrier_2> ground',
        '<carrier_1> Ground',
        '<carrier_6> Ground',
        'Ground',
        '',
      ],
      wrong_type: [1, {}, ['Freight']],
    }),
  );

  accepts('SHIP-09', 'carriers under both names, and returns the configured one', async (api) => {
    const path = `${await api.uploadedSku()}/shippingexception`;
    for (const spell of [(text: string) => text, (text: string) => respell(api.variant, text)]) {
      for (const carrier of ['<carrier_2>', '<carrier_4>']) {
        const body = (name: string) => atEast(exception('restricted', { shipping_method: `${name} Ground` }));
        assert.equal(await putUnchanged(api, path, body(spell(carrier))), 202);
        assert.deepEqual(await api.found(path), body(carrier));
      }
    }
  });
  refuses('SHIP-09', 'a carrier in another letter case', async (api) => {
    const path = `${await api.uploadedSku()}/shippingexception`;
    const name = respell(api.variant, '<carrier_2>').toUpperCase();
    const body = atEast(exception('include', { shipping_method: `${name} Ground` }));
    assert.equal(await putUnchanged(api, path, body), 400);
  });

  bounds('SHIP-10', {
    send: sendExceptions,
    accepted: {
      'a method alone': atEast(exception('include', METHOD)),
      'a level alone': atEast(exception('include', { service_level: 'Standard' })),
      'a method and a level': atEast(exception('include', { ...METHOD, service_level: 'Standard' })),
      'a method and a null level': atEast(exception('include', { ...METHOD, service_level: null })),
    },
    refused: {
      'neither method nor level': {
        body: atEast(INCLUDE, exception('include', {}), exception('restricted', { service_level: null })),
        problems: [1, 2].map((index) =>
          exceptionProblem('service_required', `[${index}]`, 'must have a service_level or a shipping_method'),
        ),
      },
      'a faulty level, which is not told to be absent': {
        body: atEast(exception('include', { service_level: 'Third Day' })),
        problems: [exceptionProblem('not_allowed', '[0].service_level', ONE_LEVEL)],
      },
    },
  });

  accepts('SHIP-11', 'both override types', (api) =>
    readsBack(
      api,
      atEast(
        ...['Override charge', 'Additional charge'].map((override_type) =>
          exception('include', METHOD, { override_type, shipping_charge_amount: 1 }),
        ),
      ),
    ),
  );
  refuses('SHIP-11', 'other override types', (api) =>
    refusesValues(api, 'override_type', ONE_OVERRIDE, {
      not_allowed: ['override charge', 'Discount', ''],
      wrong_type: [1, false],
    }),
  );

  bounds('SHIP-12', {
    send: sendExceptions,
    accepted: {
      'neither override nor amount': atEast(INCLUDE),
      'an override with its amount': atEast({
        ...INCLUDE,
        override_type: 'Override charge',
        shipping_charge_amount: 4.99,
      }),
      'an amount without an override': atEast({ ...INCLUDE, shipping_charge_amount: 4.99 }),
    },
    refused: {
      'overrides without an amount': {
        body: atEast(
          { ...INCLUDE, override_type: 'Override charge' },
          { ...INCLUDE, override_type: 'Additional charge', shipping_charge_amount: null },
        ),
        problems: [0, 1].map((index) =>
          exceptionProblem('charge_required', `[${index}].shipping_charge_amount`, 'is required with override_type'),
        ),
      },
    },
  });

  accepts('SHIP-13', 'no charge and the greatest charge', (api) =>
    readsBack(
      api,
      atEast(
        ...[0, 1e9].map((shipping_charge_amount) => ({
          ...INCLUDE,
          override_type: 'Override charge',
          shipping_charge_amount,
        })),
      ),
    ),
  );
  refuses('SHIP-13', 'other charges', (api) =>
    refusesValues(api, 'shipping_charge_amount', AMOUNT, {
      too_small: [-0.01],
      too_large: [1_000_000_000.01],
      wrong_type: ['4.99', true],
    }),
  );

  for (const type of ['exclusive', 'restricted', 'include']) {
    accepts('SHIP-14', `the type ${type}`, (api) => readsBack(api, atEast(exception(type, METHOD))));
  }
  refuses('SHIP-14', 'other types', (api) =>
    refusesValues(api, 'shipping_exception_type', ONE_TYPE, {
      not_allowed: ['Restricted', 'excluded', ''],
      wrong_type: [1, true],
    }),
  );
  refuses('SHIP-14', 'an exception without a type', async (api) => {
    const path = `${await api.uploadedSku()}/shippingexception`;
    await api.refused('PUT', path, atEast(METHOD, { ...METHOD, shipping_exception_type: null }), [
      exceptionProblem('required', '[0].shipping_exception_type', 'is required'),
      exceptionProblem('required', '[1].shipping_exception_type', 'is required'),
    ]);
  });

  refuses('SHIP-24', 'a body, with all its problems in one response', async (api) => {
    const path = `${await api.uploadedSku()}/shippingexception`;
    const body = atEast({ override_type: 'Discount', shipping_charge_amount: -1 }, exception('excluded', METHOD));
    await api.refused('PUT', path, body, [
      exceptionProblem('not_allowed', '[0].override_type', ONE_OVERRIDE),
      exceptionProblem('too_small', '[0].shipping_charge_amount', AMOUNT),
      exceptionProblem('required', '[0].shipping_exception_type', 'is required'),
      exceptionProblem('not_allowed', '[1].shipping_exception_type', ONE_TYPE),
      exceptionProblem('service_required', '[0]', 'must have a service_level or a shipping_method'),
    ]);
  });
});
