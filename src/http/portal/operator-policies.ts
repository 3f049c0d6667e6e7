/** GET and POST /policies, POST /policies/remove; GET and POST /placeholders, DELETE /placeholders/{hash}: for operators. */
import { readBodyValue } from '../../domain/body-text.ts';
import { Id, OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { type Int64, stringifyExactJson } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Policy } from '../../domain/review/policies.ts';
import { PLACEHOLDER_KINDS, PlaceholderBody, POLICY_KINDS, PolicyBody } from '../../domain/setup/policy.ts';
import { PATH_SEPARATOR } from '../../domain/taxonomy/node-name.ts';
import { DEFAULT_ORDER, RANK_PART_NAMES, RANK_PARTS } from '../../domain/vocabulary/rank-parts.ts';
import { addPlaceholder, listPlaceholders, removePlaceholder } from '../../operations/review/change-placeholders.ts';
import { addPolicy, listPolicies, policyFields, removePolicy } from '../../operations/review/change-policies.ts';
import type { ChangeGate } from '../../operations/review/rule-change.ts';
import type { Placeholder } from '../../store/port/settings.ts';
import { foundAnswer } from '../answers/answers.ts';
import { type Answer, endpointsOf, type PersonCall } from '../endpoint.ts';
import { parameterShown, readQuery } from '../query.ts';
import type { Services } from '../services.ts';
import { OrNull } from './answer-schemas.ts';
import { DATED_CHANGE, DatedFields, ruleChangeAnswer } from './rule-change-call.ts';

/** A category of a policy or product: by id, and by path if it is known. */
export const CategoryAnswer = Type.Object({
  id: Id({ description: 'Id of the node.' }),
  path: OrNull(
    Type.String(),
    'The names from the department down, separated by ` > `; null if the current taxonomy has no such node.',
  ),
});

export function categoryJson(id: Int64, { taxonomy }: Pick<Services, 'taxonomy'>): Static<typeof CategoryAnswer> {
  const { tree } = taxonomy.current;
  return { id, path: tree.node(id) === undefined ? null : tree.path(id).join(PATH_SEPARATOR) };
}

const PolicyAnswer = Type.Object({
  kind: OneOf(POLICY_KINDS, { description: 'What the policy does.' }),
  brand: OrNull(Type.String(), 'For the two brand policies, in the spelling that was entered first.'),
  category: OrNull(CategoryAnswer, 'For `excluded_category`.'),
  code: OrNull(Type.String(), 'For `excluded_code`: `gtin:` and 14 digits, or `asin:` and the ASIN.'),
  merchants: Type.Array(Type.String(), { description: 'Merchants that may sell the restricted brand, sorted by id.' }),
  order: OrNull(
    Type.Array(OneOf(RANK_PART_NAMES)),
    'For `rank_order`: what ranks the offers of a product, the first part first.',
  ),
});

/** Code that adding and removing a policy share. */
const POLICY_CHANGE = {
  needsFreshSignIn: true,
  description:
    'All offers are re-reviewed. `rank_order` replaces the order of the offers of each product in the storefront instead: ' +
    `${Object.entries(RANK_PARTS)
      .map(([name, first]) => `\`${name}\`: ${first.toLowerCase()}`)
      .join('; ')}. The default order is ${DEFAULT_ORDER.join(', ')}.`,
  ...DATED_CHANGE,
  requestBody: PolicyBody,
  answer: Type.Object({ ...PolicyAnswer.properties, ...DatedFields }, { title: 'ChangedPolicy' }),
  failures: [404],
} as const;

const PlaceholderAnswer = Type.Object({
  hash: Type.String({ description: '128 hexadecimal digits.' }),
  note: Type.String({ description: 'A note about the image.' }),
  kind: OneOf(PLACEHOLDER_KINDS, { description: 'What the image is.' }),
});

const policies = { access: 'person', roles: ['operator'], tag: 'Policies' } as const;
const placeholders = { ...policies, tag: 'Placeholders' } as const;

export const operatorPoliciesEndpoints = endpointsOf(policies, {
  'GET /policies': {
    id: 'listPolicies',
    summary: 'List the policies, sorted by kind and target',
    description: 'Policies exclude brands, categories and products, or restrict brands to some merchants.',
    answer: Type.Object({ policies: Type.Array(PolicyAnswer, { description: 'All policies.' }) }),
    async handle({ services }) {
      const listed = await listPolicies(services.setup);
      return foundAnswer(listed, (all) =>
        stringifyExactJson({ policies: all.map((policy) => policyJson(policy, services)) }),
      );
    },
  },
  'POST /policies': {
    id: 'addPolicy',
    summary: 'Add a policy, or grant a restricted brand to more merchants',
    ...POLICY_CHANGE,
    handle: (call) => policyAnswer(call, addPolicy),
  },
  'POST /policies/remove': {
    id: 'removePolicy',
    summary: 'Remove a policy, or revoke grants of a restricted brand',
    ...POLICY_CHANGE,
    handle: (call) => policyAnswer(call, removePolicy),
  },
});

export const operatorPlaceholdersEndpoints = endpointsOf(placeholders, {
  'GET /placeholders': {
    id: 'listPlaceholders',
    summary: 'List the added placeholder images, logos and watermarks; common placeholders are built in',
    description: 'Offers with one of these images fail the review.',
    answer: Type.Object({ placeholders: Type.Array(PlaceholderAnswer, { description: 'All added images.' }) }),
    async handle({ services }) {
      return foundAnswer(await listPlaceholders(services.placeholders), (listed) =>
        JSON.stringify({ placeholders: listed.map(placeholderJson) }),
      );
    },
  },
  'POST /placeholders': {
    id: 'addPlaceholder',
    needsFreshSignIn: true,
    summary: 'Add a placeholder image, a logo or a watermark',
    description:
      'Send the image as the body, or the `hash` of a placeholder and no body. All offers are re-reviewed. For a new logo or watermark, ' +
      'their images are fetched again first, which the impact does not foresee.',
    ...DATED_CHANGE,
    query: {
      ...DATED_CHANGE.query,
      note: { description: 'A note about the image.', schema: PlaceholderBody.properties.note, required: true },
      hash: {
        description: 'Hash of the placeholder. Send it instead of an image.',
        schema: PlaceholderBody.properties.hash,
      },
      kind: {
        description: 'What the image is. The default is `placeholder`.',
        schema: PlaceholderBody.properties.kind,
      },
    },
    transfer: {
      direction: 'in',
      description: `A JPEG or PNG of at most ${LIMITS.placeholder_image_bytes_max} bytes.`,
      types: ['image/jpeg', 'image/png', 'application/octet-stream'],
    },
    answer: Type.Object({ ...PlaceholderAnswer.properties, ...DatedFields }),
    act: ({ query }) => ({ subject: parameterShown(query, 'note'), detail: parameterShown(query, 'hash') }),
    handle(call) {
      const { services, query, sent } = call;
      const fields = readQuery(query, (reading) => {
        return { note: reading.text('note'), hash: reading.text('hash'), kind: reading.text('kind') };
      });
      if ('problems' in fields) return fields;
      return ruleChangeAnswer(
        call,
        (gate) => addPlaceholder(services.placeholders, readBodyValue(fields), sent, gate),
        placeholderJson,
        'dated',
      );
    },
  },
  'DELETE /placeholders/{hash}': {
    id: 'removePlaceholder',
    needsFreshSignIn: true,
    summary: 'Remove a placeholder image, a logo or a watermark',
    description: 'All offers are re-reviewed.',
    ...DATED_CHANGE,
    answer: Type.Object({ hash: PlaceholderAnswer.properties.hash, ...DatedFields }),
    failures: [404],
    handle: (call) => {
      const remove = (gate: ChangeGate) =>
        removePlaceholder(call.services.placeholders, call.targetId.toLowerCase(), gate);
      return ruleChangeAnswer(call, remove, (hash) => ({ hash }), 'dated');
    },
  },
});

function placeholderJson({ hash, note, sample }: Placeholder): Static<typeof PlaceholderAnswer> {
  return { hash, note, kind: sample?.kind ?? 'placeholder' };
}

function policyAnswer(call: PersonCall, change: typeof addPolicy): Promise<Answer> {
  const { services, body } = call;
  return ruleChangeAnswer(
    call,
    (gate) => change(services.setup, body, gate),
    (policy) => policyJson(policy, services),
    'dated',
  );
}

function policyJson(policy: Policy, services: Services): Static<typeof PolicyAnswer> {
  const { category, order, ...fields } = policyFields(policy);
  return {
    ...fields,
    order: order && [...order],
    category: category === null ? null : categoryJson(category, services),
  };
}
