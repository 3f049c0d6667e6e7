/**
 * The shipping methods with neutral names. `<carrier_N>` stands for the N-th of the five carriers, whose names the
 * operator can set (see names.ts). Stored data keeps the neutral names.
 */
export const SHIPPING_METHODS = Object.freeze([
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
] as const);

export type ShippingMethod = (typeof SHIPPING_METHODS)[number];

/** The return shipping methods, and the default. */
export const RETURN_SHIPPING_METHODS = Object.freeze([
  'Freight',
  '<carrier_2> Ground',
  '<carrier_4> Ground',
] as const satisfies readonly ShippingMethod[]);

export type ReturnShippingMethod = (typeof RETURN_SHIPPING_METHODS)[number];

export const DEFAULT_RETURN_SHIPPING_METHOD: ReturnShippingMethod = '<carrier_2> Ground';
export const DEFAULT_TIME_TO_RETURN_DAYS = 30;
export const TIME_TO_RETURN_DAYS_MAX = 30;
