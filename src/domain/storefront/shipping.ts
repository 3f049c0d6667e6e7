/** Derives the minimum shipping charge of an offer from the exceptions at a node, and how a storefront shows the exceptions. */
import type { FulfillmentNode } from '../account.ts';
import type { ShippingException } from '../bodies/shipping-exception.ts';
import type { Names } from '../names.ts';
import type { StorefrontException } from './product.ts';

const RULES = { exclusive: 'only', restricted: 'never', include: 'charge' } as const;

/**
 * Returns the lowest charge that the exceptions add among the remaining ways to ship. The merchant's normal charges are unknown, and the
 * same for all offers of the merchant, so they count as 0. If exceptions contradict each other for a way, the highest applies.
 */
export function shippingAtLeast(exceptions: readonly ShippingException[], node: FulfillmentNode | undefined): number {
  if (exceptions.length === 0) return 0;
  const exclusive = exceptions.find(({ shipping_exception_type: type }) => type === 'exclusive');
  if (exclusive !== undefined) return exclusive.shipping_charge_amount ?? 0;
  let least = Number.POSITIVE_INFINITY;
  for (const level of orNone(node?.levels)) {
    for (const method of orNone(node?.methods)) {
      const applying = exceptions.filter((exception) => applies(exception, level, method));
      if (applying.some(({ shipping_exception_type: type }) => type === 'restricted')) continue;
      least = Math.min(least, Math.max(0, ...applying.map((exception) => exception.shipping_charge_amount ?? 0)));
    }
  }
  return Number.isFinite(least) ? least : 0;
}

/** A node without methods or levels still ships, in one way without a name. */
function orNone<T>(list: readonly T[] = []): readonly (T | undefined)[] {
  return list.length === 0 ? [undefined] : list;
}

/** A restriction of a level and a method restricts the method, as in the rules of exceptions; a charge applies to both together. */
function applies(exception: ShippingException, level: string | undefined, method: string | undefined): boolean {
  const { service_level = level, shipping_method = method, shipping_exception_type: type } = exception;
  if (type === 'restricted' && exception.shipping_method !== undefined) return shipping_method === method;
  return service_level === level && shipping_method === method;
}

export function shownException(exception: ShippingException, names: Names): StorefrontException {
  const { service_level, shipping_method, override_type, shipping_charge_amount, shipping_exception_type } = exception;
  return {
    rule: RULES[shipping_exception_type],
    service_level: service_level ?? null,
    shipping_method: shipping_method === undefined ? null : names.method(shipping_method),
    charge: override_type === undefined ? null : override_type === 'Override charge' ? 'total' : 'surcharge',
    amount: shipping_charge_amount ?? null,
  };
}
