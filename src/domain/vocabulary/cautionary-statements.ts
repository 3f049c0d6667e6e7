/** Must be the only statement when it is sent. */
export const NO_WARNING = 'no warning applicable';

/** The values of `cpsia_cautionary_statements`. */
export const CAUTIONARY_STATEMENTS = Object.freeze([
  NO_WARNING,
  'choking hazard small parts',
  'choking hazard is a small ball',
  'choking hazard is a marble',
  'choking hazard contains a small ball',
  'choking hazard contains a marble',
  'choking hazard balloon',
] as const);
