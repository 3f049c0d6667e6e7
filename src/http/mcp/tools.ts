/** Lists the tools of the Model Context Protocol. Each makes calls of the API, with their checks. Offers change only through plans. */
import { FileTypeSchema, FileUploadedBody } from '../../domain/bodies/file-uploaded.ts';
import { FixesBody } from '../../domain/bodies/fixes.ts';
import { PlanBody } from '../../domain/bodies/plan.ts';
import { List, OneOf, Text, Whole } from '../../domain/check/schema.ts';
import { type TObject, type TSchema, Type } from '../../domain/check/type.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Names } from '../../domain/names.ts';
import { SCOPE } from '../../domain/setup/key-scopes.ts';
import { REPORT_TYPES } from '../../domain/vocabulary/file-types.ts';
import type { AccountEndpoint, Answer, MerchantEndpoint } from '../endpoint.ts';
import { FixAnswer } from '../endpoints/review.ts';
import { PORTAL_ENDPOINTS } from '../portal-access/portal-routes.ts';
import { type AgentCall, api, argumentInPath, MerchantSku, type ToolEndpoint, type Values } from './agent-call.ts';
import { checkFile, explainOffer, report, suggestFixes } from './tool-runs.ts';

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Its first call, whose scopes a key needs to see the tool. By default, it also gives the arguments and the result. */
  readonly call: ToolEndpoint;
  readonly takes: TObject;
  readonly gives: (names: Names) => TSchema;
  /** Whether the call checks the arguments, as its body. */
  readonly isBody?: true;
  /** A list in the result, which is returned in pages. */
  readonly list?: 'offers' | 'merchants';
  /** What it changes: the offers of a plan; or something else, such as a report or a plan. Nothing, by default. */
  readonly changes?: 'offers' | 'other';
  readonly run: (agent: AgentCall, values: Values) => Promise<Answer>;
}

const PAGE = {
  offset: Type.Optional(Whole(0, LIMITS.count_max, { description: 'Entries to skip: `next_offset` of a result.' })),
  limit: Type.Optional(
    Whole(1, LIMITS.tool_page_max, {
      description: `Maximum number of entries. The default is ${LIMITS.tool_page_default}.`,
    }),
  ),
};

type Row = Pick<Tool, 'name' | 'title' | 'description' | 'call'> &
  Partial<Tool> & {
    /** Query parameters that are not arguments, with their values. */
    readonly fixed?: Values;
  };

function tool({ fixed = {}, ...row }: Row): Tool {
  const { query = {}, requestBody, answer = Type.Object({}) } = row.call;
  const inPath = argumentInPath(row.call);
  const inQuery = Object.entries(query).filter(([name]) => !(name in fixed));
  return {
    takes: Type.Object({
      ...(inPath && { [inPath[0]]: inPath[1] }),
      ...Object.fromEntries(
        inQuery.map(([name, { schema, description, required }]) => {
          const described = Type.Unsafe({ ...schema, description });
          return [name, required ? described : Type.Optional(described)];
        }),
      ),
      ...(requestBody as TObject | undefined)?.properties,
      ...(row.list && PAGE),
    }),
    gives: (names) => (typeof answer === 'function' ? answer(names) : answer),
    run: (agent, values) => agent.make(row.call, { ...values, ...fixed }),
    ...row,
  };
}

/** The offer list of the portal, which says more about each offer than that of the API. */
function offerList(): MerchantEndpoint {
  const found = PORTAL_ENDPOINTS.find(({ id }) => id === 'listOffers') as AccountEndpoint;
  const { handle, ...call } = found;
  const own = { access: 'merchant', needs: SCOPE.read, concerns: 'several_skus' } as const;
  return { ...call, ...own, handle: (agent) => handle(agent as never) };
}

function answerOf(id: string, names: Names): TSchema {
  const { answer } = api(id);
  if (answer === undefined) throw new Error(`The call ${id} has no answer.`);
  return typeof answer === 'function' ? answer(names) : answer;
}

const Offer = Type.Unsafe<object>({
  type: 'object',
  description:
    'The parts to write, instead of `fixes`: `sku` (all data of the SKU, see category_schema), `price` ({"price": 9.99}), `inventory`, and others as in the `offer` of ' +
    'explain_offer.',
});

const MERCHANT_TOOLS: readonly Tool[] = [
  tool({
    name: 'find_offers',
    title: 'Find offers',
    description:
      'Lists offers with status, issues, price, stock and rank. Filters: words, status, issue, category, stock, announced change. Send `next` ' +
      'as `after` for the next page.',
    call: offerList(),
  }),
  tool({
    name: 'explain_offer',
    title: 'Explain an offer',
    description:
      'Says why an offer has its status: each check with its evidence, who acts next and what to do. Also says what announced changes require, ' +
      'and returns all parts of the offer.',
    call: api('getReview'),
    gives: (names) => Type.Object({ review: answerOf('getReview', names), offer: answerOf('getOffer', names) }),
    run: explainOffer,
  }),
  tool({
    name: 'suggest_fixes',
    title: 'Suggest fixes',
    description:
      'Returns the fixes for failed checks of offers, and `planned`: the offers with the ids of these fixes, to send as `offers` of make_plan. `certain` ' +
      'fixes are safe. Ask a person about `likely` ones. By default, `planned` has all certain fixes.',
    call: api('getReview'),
    takes: Type.Object({
      merchant_skus: List(MerchantSku, LIMITS.tool_fixed_offers_max, { min: 1, description: 'Ids of SKUs.' }),
      fixes: Type.Optional(
        Type.Unsafe({ ...FixesBody.properties.fixes, description: 'Ids of the fixes in `planned`.' }),
      ),
    }),
    gives: () =>
      Type.Object({
        offers: Type.Array(Type.Object({ merchant_sku: MerchantSku, fixes: Type.Array(FixAnswer) })),
        planned: Type.Array(Type.Object({ merchant_sku: MerchantSku, ...FixesBody.properties })),
      }),
    run: suggestFixes,
  }),
  tool({
    name: 'position',
    title: 'Read the position of an offer',
    description:
      'Returns the rank of an offer among the offers of its product, and the total of the best one if it is shown.',
    call: api('getPosition'),
  }),
  tool({
    name: 'find_category',
    title: 'Find a category',
    description: 'Searches the categories of the marketplace by words, best match first.',
    call: api('searchTaxonomy'),
  }),
  tool({
    name: 'category_schema',
    title: 'Read the schema of a category',
    description: 'Returns the JSON Schema for the data of a SKU (the part `sku`) in a category.',
    call: api('getCategorySchema'),
  }),
  tool({
    name: 'upcoming_requirements',
    title: 'Read announced changes',
    description:
      'Lists announced changes of requirements, with the number of your offers that would fail. find_offers lists these with `upcoming`, and ' +
      'explain_offer says what each needs.',
    call: api('listUpcomingRequirements'),
  }),
  tool({
    name: 'make_plan',
    title: 'Plan changes',
    description:
      'Tries changes to many offers, and changes nothing. Returns what each change would do, totals, and the id for apply_plan. Show the ' +
      'totals to a person first.',
    call: api('makePlan'),
    takes: Type.Object({
      offers: Type.Optional(
        List(
          Type.Object({
            merchant_sku: MerchantSku,
            offer: Type.Optional(Offer),
            fixes: Type.Optional(FixesBody.properties.fixes),
            is_archived: PlanBody.properties.offers.items.properties.is_archived,
          }),
          LIMITS.plan_offers_max,
          { min: 1, description: 'Changes by SKU, each SKU once. Send this or `price_change`.' },
        ),
      ),
      price_change: PlanBody.properties.price_change,
    }),
    isBody: true,
    list: 'offers',
    changes: 'other',
  }),
  tool({
    name: 'read_plan',
    title: 'Read a plan',
    description: 'Returns the state and the offers of a plan. After it was applied: which parts were left alone.',
    call: api('getPlan'),
    list: 'offers',
  }),
  tool({
    name: 'apply_plan',
    title: 'Apply a plan',
    description:
      'Changes offers exactly as the plan shows. What was changed since is left alone. Read the plan until its state is `applied`.',
    call: api('applyPlan'),
    changes: 'offers',
  }),
  tool({
    name: 'undo_plan',
    title: 'Undo a plan',
    description: 'Restores the values from before an applied plan. What was changed since is skipped.',
    call: api('undoPlan'),
    changes: 'offers',
  }),
  tool({
    name: 'check_file',
    title: 'Check a bulk file',
    description: 'Uploads a bulk file to check its rows. Nothing is written to offers: use make_plan for that.',
    call: api('receiveFile'),
    takes: Type.Object({
      file_type: FileTypeSchema,
      file_name: FileUploadedBody.properties.file_name,
      content: Text(LIMITS.body_bytes_max, { min: 1, description: 'The text of the file: JSON, NDJSON or CSV.' }),
    }),
    changes: 'other',
    run: checkFile,
  }),
  tool({
    name: 'follow_file',
    title: 'Follow a bulk file',
    description: 'Returns the progress of a bulk file, and the errors of its rows.',
    call: api('getFile'),
  }),
  tool({
    name: 'report',
    title: 'Request or read a report',
    description:
      'Requests a report of all offers by `type`, or returns the state of one by `report_id`, with its URL when it is ready.',
    call: api('getReportState'),
    takes: Type.Object({
      type: Type.Optional(OneOf(REPORT_TYPES, { description: 'The default is `ProductStatus`.' })),
      report_id: Type.Optional(Type.String({ description: 'Id of a requested report.' })),
    }),
    gives: (names) => Type.Partial(answerOf('getReportState', names) as TObject),
    changes: 'other',
    run: report,
  }),
];

const OPERATOR_TOOLS: readonly Tool[] = [
  tool({
    name: 'review_backlog',
    title: 'Read the review backlog',
    description: 'Says how many offers wait for their review, and for how long, by merchant.',
    call: api('readBacklog'),
  }),
  tool({
    name: 'list_merchants',
    title: 'List merchants',
    description: 'Lists all merchants with their offers and requests.',
    call: api('listMerchants'),
    list: 'merchants',
  }),
  tool({
    name: 'rule_impact',
    title: 'Estimate the impact of a policy',
    description: 'Says how many offers a new policy would change and take off sale. Adds nothing: people add policies.',
    call: api('addPolicy'),
    fixed: { preview: 'true', confirmed: undefined },
    isBody: true,
  }),
];

export const TOOLS: readonly Tool[] = [...MERCHANT_TOOLS, ...OPERATOR_TOOLS];
