/** Shows and edits the variation group of an offer, as its parent or as a child. */
import { Alert, MultiSelect, TagsInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { attributesQuery } from '../../../api/categories.ts';
import { api, ask } from '../../../api/client.ts';
import { type Group, groupOfQuery, groupQuery, type Offer, type OfferKey, pathOf } from '../../../api/offer.ts';
import type { ConflictWords } from '../../../ui/forms/conflict-table.tsx';
import { useHeldForm } from '../../../ui/forms/held-form.ts';
import { type Fields, SavingForm, useSaving } from '../../../ui/forms/saving.tsx';
import { TextLink } from '../../../ui/links.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { ChildSkusInput } from './child-skus-input.tsx';
import { type OfferPartProps, useOfferRefresh } from './offer-part.ts';

interface GroupCardProps extends OfferPartProps {
  readonly offer: Offer;
}

export function GroupCard(props: GroupCardProps) {
  const group = useQuery(groupQuery(props.offerKey));
  const groupOf = useQuery(groupOfQuery(props.offerKey));
  return (
    <Panel
      title="Variation group"
      about="Groups offers that differ only in attributes such as size or color. The parent offer represents the group."
    >
      <QueryView query={groupOf} what="parent">
        {({ parent }) => parent !== null && <ChildOf {...props.offerKey} parent={parent} />}
      </QueryView>
      <QueryView query={group} what="group">
        {(found) => <GroupForm {...props} group={found} />}
      </QueryView>
    </Panel>
  );
}

function ChildOf({ environment, sku, parent }: OfferKey & { readonly parent: string }) {
  return (
    <Alert color="blue" title={`Child of ${parent}`}>
      <TextLink to="/$environment/offers/$sku" params={{ environment, sku: parent }}>
        View parent
      </TextLink>{' '}
      to edit its group. If you save a group on this page, {sku} leaves the group of {parent}.
    </Alert>
  );
}

const FIELDS = ['children_skus', 'variation_refinements', 'group_title'];

/** Shows a problem with one list entry at the list's field. */
const fields: Fields = { names: () => FIELDS, nameOf: (pointer) => pointer.split('/')[1] };

function GroupForm({ offerKey, mayChange, offer, group }: GroupCardProps & { readonly group: Group | null }) {
  const category = offer.marketplace_browse_node_id ?? offer.product_type_id;
  const attributes = useQuery({
    ...attributesQuery(offerKey.environment, String(category ?? '')),
    enabled: category !== undefined,
  });
  const values = {
    children_skus: group?.children_skus ?? [],
    variation_refinements: group?.variation_refinements.map(String) ?? [],
    group_title: group?.group_title ?? '',
  };
  const held = useHeldForm(values, group?.etag);
  const { form } = held;
  const refinements = new Map(form.values.variation_refinements.map((id) => [id, `Attribute ${id}`]));
  for (const { attribute_id: id, attribute_description: name, variant } of attributes.data ?? []) {
    if (variant || refinements.has(String(id))) refinements.set(String(id), name);
  }
  const words: ConflictWords = {
    value: ({ name }, ids) =>
      name === 'variation_refinements' && ids.replace(/\d+/g, (id) => refinements.get(id) ?? `Attribute ${id}`),
  };
  const saving = useSaving({
    refresh: useOfferRefresh(offerKey),
    held,
    fields,
    save: ({ children_skus, variation_refinements, group_title }, header) =>
      ask(
        api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}/variation', {
          params: { path: pathOf(offerKey), header },
          body: {
            relationship: 'Variation',
            children_skus,
            // Ids may be beyond 2^53.
            variation_refinements: variation_refinements.map((id) => BigInt(id) as unknown as number),
            ...(group_title === '' ? {} : { group_title }),
          },
        }),
      ),
  });
  return (
    <SavingForm saving={saving} held={held} fields={fields} mayChange={mayChange} maw={640} words={words}>
      {(group?.excluded_skus.length ?? 0) > 0 && (
        <Alert color="orange" title="Excluded">
          {group?.excluded_skus.join(', ')}
        </Alert>
      )}
      {mayChange ? (
        <ChildSkusInput parent={offerKey} offer={offer} {...form.getInputProps('children_skus')} />
      ) : (
        // TagsInput accepts pasted text even if it is read-only.
        <TagsInput label="Child SKUs" readOnly {...form.getInputProps('children_skus')} onChange={() => {}} />
      )}
      <MultiSelect
        label="Variation attributes"
        description={category === undefined ? 'Set a category first.' : undefined}
        data={Array.from(refinements, ([value, label]) => ({ value, label }))}
        readOnly={!mayChange}
        {...form.getInputProps('variation_refinements')}
      />
      <TextInput label="Group title" readOnly={!mayChange} {...form.getInputProps('group_title')} />
    </SavingForm>
  );
}
