/** Examples of calls about requirements: announced changes, and the schema of a category. */
export const REQUIREMENT_ID = 1;

const CHANGE = {
  id: REQUIREMENT_ID,
  rule: 'Excluded brand: Copycat',
  enforced_from: '2026-03-01T00:00:00.000Z',
  announced: '2026-01-31T09:30:00.000Z',
};

export const REQUIREMENT_EXAMPLES = {
  getCategorySchema: {
    answer: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'SKU in Dinnerware',
      type: 'object',
      properties: { multipack_quantity: { type: 'integer', minimum: 1 } },
    },
  },
  listUpcomingRequirements: {
    answer: { changes: [{ ...CHANGE, offers: 0, url: `/requirements/upcoming/${REQUIREMENT_ID}/offers` }] },
  },
  listUpcomingFailures: { query: { limit: 10 }, answer: { offers: [], next: null } },
  listRequirementChanges: { answer: { changes: [{ ...CHANGE, state: 'announced' }] } },
};
