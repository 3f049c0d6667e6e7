/** Form for a new policy. */
import { MultiSelect, Select, TextInput } from '@mantine/core';
import { type UseFormReturnType, useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DEFAULT_ORDER, RANK_PARTS, type RankPart } from '#domain/vocabulary/rank-parts.ts';
import { api, ask } from '../../api/client.ts';
import { merchantsQuery } from '../../api/operator-offers.ts';
import type { components } from '../../api/schema.d.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { MutationForm } from '../../ui/forms/mutation-form.tsx';
import { useFormMutation } from '../../ui/forms/use-form-mutation.ts';
import { type ChangeQuery, ImpactDialog, type RuleChange } from './impact-dialog.tsx';
import { NodePicker } from './node-picker.tsx';

export type Policy = components['schemas']['ListPoliciesAnswer']['policies'][number];
type PolicyBody = components['schemas']['PolicyBody'];
type Kind = PolicyBody['kind'];

export const KIND_NAMES: Readonly<Record<Kind, string>> = {
  excluded_brand: 'Excluded brand',
  excluded_category: 'Excluded category',
  excluded_code: 'Excluded product',
  restricted_brand: 'Restricted brand',
  rank_order: 'Order of offers',
};

interface AddPolicyProps {
  readonly isOpen: boolean;
  readonly close: () => void;
}

interface PolicyValues {
  kind: Kind;
  brand: string;
  category: string | null;
  code: string;
  merchants: string[];
  order: RankPart[];
}

export function AddPolicy({ isOpen, close }: AddPolicyProps) {
  const [change, setChange] = useState<RuleChange>();
  // Kept here, so that Cancel in the preview returns to the values.
  const form = useForm<PolicyValues>({
    initialValues: {
      kind: 'excluded_brand',
      brand: '',
      category: null,
      code: '',
      merchants: [],
      order: [...DEFAULT_ORDER],
    },
  });
  const end = () => {
    form.reset();
    close();
  };
  return (
    <>
      <Dialog isOpen={isOpen && change === undefined} close={end} title="Add policy">
        <PolicyForm form={form} previewed={setChange} close={end} />
      </Dialog>
      <ImpactDialog change={change && { ...change, done: end }} close={() => setChange(undefined)} />
    </>
  );
}

const FIELDS = ['kind', 'brand', 'category', 'code', 'merchants', 'order'];

interface PolicyFormProps {
  readonly form: UseFormReturnType<PolicyValues>;
  readonly previewed: (change: RuleChange) => void;
  readonly close: () => void;
}

function PolicyForm({ form, previewed, close }: PolicyFormProps) {
  const merchants = useQuery(merchantsQuery);
  const adding = useFormMutation({
    form,
    fields: FIELDS,
    nameOf: (pointer) => pointer.split('/')[1],
    mutationFn: async (values: PolicyValues): Promise<RuleChange> => {
      const body = bodyOf(values);
      const send = (query: ChangeQuery) => ask(api.POST('/policies', { params: { query }, body }));
      const { impact, ...policy } = await send({ preview: 'true' });
      const about = `${KIND_NAMES[policy.kind]}: ${policyName(policy)}`;
      return { title: 'Add policy', action: 'Add policy', isDated: true, about, send, impact, ...searchOf(body) };
    },
    onSuccess: previewed,
  });
  const { kind } = form.values;
  return (
    <MutationForm form={form} sending={adding} action="Show impact" close={close}>
      <Select
        label="Type"
        description={
          kind === 'rank_order'
            ? 'Which offer of a product is the best.'
            : kind === 'restricted_brand'
              ? 'Only the allowed merchants can sell it.'
              : 'No merchant can sell it.'
        }
        allowDeselect={false}
        data={Object.entries(KIND_NAMES).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('kind')}
      />
      {(kind === 'excluded_brand' || kind === 'restricted_brand') && (
        <TextInput label="Brand" description="Not case-sensitive." required {...form.getInputProps('brand')} />
      )}
      {kind === 'excluded_category' && (
        <NodePicker
          value={form.values.category}
          onChange={(value) => form.setFieldValue('category', value)}
          error={form.errors.category}
          description="Includes all subcategories."
        />
      )}
      {kind === 'excluded_code' && (
        <TextInput
          label="Product code"
          description="UPC, EAN, ISBN, GTIN-14 or ASIN."
          required
          {...form.getInputProps('code')}
        />
      )}
      {kind === 'restricted_brand' && (
        <MultiSelect
          label="Allowed merchants"
          description="Added to the merchants that are already allowed."
          searchable
          data={merchants.data?.merchants.map(({ id, name }) => ({ value: id, label: `${name} (${id})` })) ?? []}
          {...form.getInputProps('merchants')}
        />
      )}
      {kind === 'rank_order' && (
        <MultiSelect
          label="Order"
          description="What counts first, then what counts among equal offers. Remove and add parts to change the order."
          required
          data={Object.entries(RANK_PARTS).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps('order')}
        />
      )}
    </MutationForm>
  );
}

/** What the policy applies to. A category that the current taxonomy does not have is named by its id only. */
export function policyName({ brand, category, code, order }: Policy): string {
  if (order !== null) return order.map((part) => RANK_PARTS[part]).join(', ');
  return brand ?? code ?? (category?.path ? `${category.path} (${category.id})` : String(category?.id));
}

/** The operator's search has no filter by category. */
function searchOf({ brand, code }: PolicyBody): Pick<RuleChange, 'search'> {
  const q = brand ?? code;
  return q === undefined ? {} : { search: { q } };
}

function bodyOf({ kind, brand, category, code, merchants, order }: PolicyValues): PolicyBody {
  switch (kind) {
    case 'rank_order':
      return { kind, order };
    case 'excluded_brand':
      return { kind, brand };
    case 'restricted_brand':
      return { kind, brand, merchants };
    case 'excluded_code':
      return { kind, code };
    case 'excluded_category':
      // Ids may be beyond 2^53.
      return { kind, ...(category === null ? {} : { category: BigInt(category) as unknown as number }) };
  }
}
