/** Units for a price per unit, as suggestions. `type_of_unit_for_price_per_unit` accepts any text. */
export const PRICE_UNITS: readonly string[] = Object.freeze(
  (
    'count, ounce, pound, gram, kilogram, fluid ounce, pint, quart, gallon, milliliter, liter, inch, foot, yard, centimeter, ' +
    'meter, square foot, square meter, sheet, roll, pair, load, serving'
  ).split(', '),
);
