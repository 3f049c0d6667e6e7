/** Tests shipping.ts: what exceptions add at least, for each type of exception. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FulfillmentNode } from '../account.ts';
import type { ShippingException } from '../bodies/shipping-exception.ts';
import { Names, NEUTRAL_NAMES } from '../names.ts';
import { shippingAtLeast, shownException } from './shipping.ts';

const NODE: FulfillmentNode = {
  id: 'n',
  rateKind: 'flat',
  methods: ['<carrier_2> Ground', 'Freight'],
  levels: ['Standard', 'Next Day'],
};

const include = (charge: number, way: Partial<ShippingException>): ShippingException => {
  return {
    shipping_exception_type: 'include',
    override_type: 'Additional charge',
    shipping_charge_amount: charge,
    ...way,
  };
};

describe('what shipping adds at least', () => {
  it('is nothing without exceptions, and the charge of the exclusive way', () => {
    assert.equal(shippingAtLeast([], NODE), 0);
    const only = { shipping_exception_type: 'exclusive', service_level: 'Scheduled (freight)' } as const;
    assert.equal(shippingAtLeast([only], NODE), 0);
    const charged = { ...only, override_type: 'Override charge', shipping_charge_amount: 40 } as const;
    assert.equal(shippingAtLeast([charged], NODE), 40);
    assert.equal(shippingAtLeast([charged], undefined), 40);
  });

  it('is nothing while one way has no charge, and otherwise the lowest charge', () => {
    const standard = include(3, { service_level: 'Standard' });
    assert.equal(shippingAtLeast([standard], NODE), 0);
    const both = [standard, include(7, { service_level: 'Next Day' })];
    assert.equal(shippingAtLeast(both, NODE), 3);
    assert.equal(shippingAtLeast([...both, include(5, { shipping_method: 'Freight' })], NODE), 3);
    const ground = include(5, { shipping_method: '<carrier_2> Ground' });
    assert.equal(shippingAtLeast([...both, ground, include(6, { shipping_method: 'Freight' })], NODE), 5);
  });

  it('leaves out the ways that the item never ships', () => {
    const restricted = { shipping_exception_type: 'restricted', service_level: 'Next Day' } as const;
    assert.equal(shippingAtLeast([restricted], NODE), 0);
    assert.equal(shippingAtLeast([include(3, { service_level: 'Standard' }), restricted], NODE), 3);
  });

  it('applies an exception for a level and a method only to both together', () => {
    const charged = include(3, { service_level: 'Standard', shipping_method: 'Freight' });
    const one = { ...NODE, levels: ['Standard'] } as const;
    assert.equal(shippingAtLeast([charged], one), 0);
    assert.equal(shippingAtLeast([charged], { ...one, methods: ['Freight'] }), 3);
    assert.equal(shippingAtLeast([charged], undefined), 0);
  });

  it('is shown with the configured names of carriers', () => {
    const names = new Names({ ...NEUTRAL_NAMES, carriers: ['A', 'Bee', 'C', 'D', 'E'] });
    assert.deepEqual(shownException(include(3, { shipping_method: '<carrier_2> Ground' }), names), {
      rule: 'charge',
      service_level: null,
      shipping_method: 'Bee Ground',
      charge: 'surcharge',
      amount: 3,
    });
    assert.deepEqual(shownException({ shipping_exception_type: 'restricted', service_level: 'Standard' }, names), {
      rule: 'never',
      service_level: 'Standard',
      shipping_method: null,
      charge: null,
      amount: null,
    });
  });
});
