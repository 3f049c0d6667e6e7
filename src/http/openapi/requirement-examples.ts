/** Examples of the calls about announced changes of requirements. */
export const REQUIREMENT_ID = 1;

const CHANGE = {
  id: REQUIREMENT_ID,
  rule: 'Excluded brand: Copycat',
  enforced_from: '2026-03-01T00:00:00.000Z',
  announced: '2026-01-31T09:30:00.000Z',
};

export const REQUIREMENT_EXAMPLES = {
  listUpcomingRequirements: {
    answer: { changes: [{ ...CHANGE, offers: 0, url: `/requirements/upcoming/${REQUIREMENT_ID}/offers` }] },
  },
  listUpcomingFailures: { query: { limit: 10 }, answer: { offers: [], next: null } },
  listRequirementChanges: { answer: { changes: [{ ...CHANGE, state: 'announced' }] } },
};
