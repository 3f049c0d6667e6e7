/** GET and POST /policies, POST /policies/remove; GET and POST /placeholders, DELETE /placeholders/{hash}: for operators. */
import { readBodyValue } from '../../domain/body-text.ts';
import { OneOf } from '../../domain/check/schema.ts';
import { type Static, Type } from '../../domain/check/type.ts';
import { stringifyExactJson } from '../../domain/int64.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Policy } from '../../domain/review/policies.ts';
import { PlaceholderBody } from '../../domain/setup/placeholder.ts';
import { POLICY_KINDS, PolicyBody } from '../../domain/setup/policy.ts';
import { addPlaceholder, listPlaceholders, removePlaceholder } from '../../operations/review/change-placeholders.ts';
import { addPolicy, listPolicies, removePolicy } from '../../operations/review/change-policies.ts';
import type { ChangeGate } from '../../operations/review/rule-change.ts';
import { foundAnswer } from '../answers/answers.ts';
import type { Answer, PersonCall, PersonEndpoint } from '../endpoint.ts';
import { parameterShown, QueryReading } from '../query.ts';
import type { Services } from '../services.ts';
import { OrNull } from './answer-schemas.ts';
import { CategoryAnswer, categoryJson } from './category-json.ts';
import { CHANGE, NoImpact, ruleChangeAnswer } from './rule-change-call.ts';

const PolicyAnswer = Type.Object({
  kind: OneOf(POLICY_KINDS),
  brand: OrNull(Type.String(), 'For the two brand policies, in the spelling that was entered first.'),
  category: OrNull(CategoryAnswer, 'For `excluded_category`.'),
  code: OrNull(Type.String(), 'For `excluded_code`: `gtin:` and 14 digits, or `asin:` and the ASIN.'),
  merchants: Type.Array(Type.String(), { description: 'Merchants that may sell the restricted brand, sorted by id.' }),
});

const ChangedPolicyAnswer = Type.Object({ ...PolicyAnswer.properties, impact: NoImpact });

const PlaceholderAnswer = Type.Object({
  hash: Type.String({ description: '128 hexadecimal digits.' }),
  note: Type.String(),
});

const policies = { access: 'person', roles: ['operator'], tag: 'Policies' } as const;
const placeholders = { ...policies, tag: 'Placeholders' } as const;

export const operatorPoliciesEndpoints: readonly PersonEndpoint[] = [
  {
    ...policies,
    id: 'listPolicies',
    method: 'GET',
    path: '/policies',
    summary: 'List the policies, sorted by kind and target',
    answer: Type.Object({ policies: Type.Array(PolicyAnswer) }),
    handle: listPoliciesAnswer,
  },
  {
    ...policies,
    id: 'addPolicy',
    method: 'POST',
    path: '/policies',
    summary: 'Add a policy, or grant a restricted brand to more merchants',
    description: 'All offers are re-reviewed.',
    ...CHANGE,
    requestBody: PolicyBody,
    answer: ChangedPolicyAnswer,
    failures: [400, 404],
    handle: (call) => policyAnswer(call, addPolicy),
  },
  {
    ...policies,
    id: 'removePolicy',
    method: 'POST',
    path: '/policies/remove',
    summary: 'Remove a policy, or revoke grants of a restricted brand',
    description: 'All offers are re-reviewed.',
    ...CHANGE,
    requestBody: PolicyBody,
    answer: ChangedPolicyAnswer,
    failures: [400, 404],
    handle: (call) => policyAnswer(call, removePolicy),
  },
  {
    ...placeholders,
    id: 'listPlaceholders',
    method: 'GET',
    path: '/placeholders',
    summary: 'List the added placeholder images; common ones are built in',
    answer: Type.Object({ placeholders: Type.Array(PlaceholderAnswer) }),
    handle: listPlaceholdersAnswer,
  },
  {
    ...placeholders,
    id: 'addPlaceholder',
    method: 'POST',
    path: '/placeholders',
    summary: 'Add a placeholder image',
    description: 'Send the image as the body, or its `hash` and no body. All offers are re-reviewed.',
    ...CHANGE,
    query: {
      ...CHANGE.query,
      note: { description: 'A note about the image.', schema: PlaceholderBody.properties.note, required: true },
      hash: {
        description: 'Hash of the placeholder. Send it instead of an image.',
        schema: PlaceholderBody.properties.hash,
      },
    },
    transfer: {
      direction: 'in',
      description: `A JPEG or PNG of at most ${LIMITS.placeholder_image_bytes_max} bytes.`,
      types: ['image/jpeg', 'image/png', 'application/octet-stream'],
    },
    answer: Type.Object({ ...PlaceholderAnswer.properties, impact: NoImpact }),
    failures: [400],
    act: ({ query }) => ({ subject: parameterShown(query, 'note'), detail: parameterShown(query, 'hash') }),
    handle: addPlaceholderAnswer,
  },
  {
    ...placeholders,
    id: 'removePlaceholder',
    method: 'DELETE',
    path: '/placeholders/{hash}',
    summary: 'Remove a placeholder image',
    description: 'All offers are re-reviewed.',
    ...CHANGE,
    answer: Type.Object({ hash: PlaceholderAnswer.properties.hash, impact: NoImpact }),
    failures: [400, 404],
    handle: (call) => {
      const remove = (gate: ChangeGate) =>
        removePlaceholder(call.services.placeholders, call.value.toLowerCase(), gate);
      return ruleChangeAnswer(call, remove, (hash) => ({ hash }));
    },
  },
];

async function listPoliciesAnswer({ services }: PersonCall): Promise<Answer> {
  const listed = await listPolicies(services.setup);
  return foundAnswer(listed, (all) =>
    stringifyExactJson({ policies: all.map((policy) => policyJson(policy, services)) }),
  );
}

function policyAnswer(call: PersonCall, change: typeof addPolicy): Promise<Answer> {
  const { services, body } = call;
  return ruleChangeAnswer(
    call,
    (gate) => change(services.setup, body, gate),
    (policy) => policyJson(policy, services),
  );
}

function policyJson(policy: Policy, services: Services): Static<typeof PolicyAnswer> {
  const nothing = { brand: null, category: null, code: null, merchants: [] };
  switch (policy.kind) {
    case 'excluded_brand':
      return { ...nothing, kind: policy.kind, brand: policy.brand };
    case 'excluded_category':
      return { ...nothing, kind: policy.kind, category: categoryJson(policy.nodeId, services) };
    case 'excluded_code':
      return { ...nothing, kind: policy.kind, code: policy.code };
    case 'restricted_brand':
      return { ...nothing, kind: policy.kind, brand: policy.brand, merchants: [...policy.merchantIds] };
  }
}

async function listPlaceholdersAnswer({ services }: PersonCall): Promise<Answer> {
  return foundAnswer(await listPlaceholders(services.placeholders), (listed) =>
    JSON.stringify({ placeholders: listed.map(({ hash, note }) => ({ hash, note })) }),
  );
}

async function addPlaceholderAnswer(call: PersonCall): Promise<Answer> {
  const { services, query, sent } = call;
  const reading = new QueryReading(query);
  const said = readBodyValue({ note: reading.text('note'), hash: reading.text('hash') });
  if (reading.problems.length > 0) return { problems: reading.problems };
  return ruleChangeAnswer(
    call,
    (gate) => addPlaceholder(services.placeholders, said, sent, gate),
    (placeholder): Static<typeof PlaceholderAnswer> => placeholder,
  );
}
