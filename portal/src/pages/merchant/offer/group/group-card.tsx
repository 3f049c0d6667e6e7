/** Shows and edits the variation group of an offer, as its parent or as a child. */
import { MultiSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Attribute, attributesQuery } from '../../../../api/categories.ts';
import { type Group, groupOfQuery, groupQuery, type Offer } from '../../../../api/offer.ts';
import type { ConflictWords } from '../../../../ui/forms/conflict-table.tsx';
import { useHeldForm } from '../../../../ui/forms/held-form.ts';
import { type Fields, SavingForm, useSaving } from '../../../../ui/forms/saving.tsx';
import { lazyPart } from '../../../../ui/lazy.tsx';
import { Panel } from '../../../../ui/panel.tsx';
import { QueryView } from '../../../../ui/query-view.tsx';
import { Loading } from '../../../../ui/states.tsx';
import { type OfferPartProps, useOfferRefresh } from '../offer-part.ts';
import { ChildSkusInput } from './child-skus-input.tsx';
import type { VaryingAttribute } from './group-members.tsx';
import { saveGroup } from './save-group.ts';

const GroupMembers = lazyPart(() => import('./group-members.tsx'), 'GroupMembers', Loading);
const ChildOf = lazyPart(() => import('./own-group.tsx'), 'ChildOf');
const JoinGroup = lazyPart(() => import('./join-group.tsx'), 'JoinGroup');

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
        {({ parent }) => parent !== null && <ChildOf {...props} parent={parent} />}
      </QueryView>
      {props.mayChange && group.data === null && groupOf.data?.parent === null && <JoinGroup {...props} />}
      <QueryView query={group} what="group">
        {(found) => <GroupForm {...props} group={found} />}
      </QueryView>
    </Panel>
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
  const childSkus = form.values.children_skus;
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
      saveGroup(
        offerKey,
        {
          children_skus,
          // Ids may be beyond 2^53.
          variation_refinements: variation_refinements.map((id) => BigInt(id) as unknown as number),
          group_title,
        },
        header,
      ),
  });
  return (
    <SavingForm saving={saving} held={held} fields={fields} mayChange={mayChange} maw={960} words={words}>
      {childSkus.length > 0 && (
        <GroupMembers
          parent={offerKey}
          childSkus={childSkus}
          excluded={group?.excluded_skus ?? []}
          attributes={form.values.variation_refinements.map((id) => varyingAttribute(id, attributes.data))}
          remove={
            mayChange
              ? (sku) =>
                  form.setFieldValue(
                    'children_skus',
                    childSkus.filter((one) => one !== sku),
                  )
              : undefined
          }
        />
      )}
      {mayChange && (
        <ChildSkusInput maw={640} parent={offerKey} offer={offer} {...form.getInputProps('children_skus')} />
      )}
      <MultiSelect
        maw={640}
        label="Variation attributes"
        description={category === undefined ? 'Set a category first.' : undefined}
        data={Array.from(refinements, ([value, label]) => ({ value, label }))}
        readOnly={!mayChange}
        {...form.getInputProps('variation_refinements')}
      />
      <TextInput maw={640} label="Group title" readOnly={!mayChange} {...form.getInputProps('group_title')} />
    </SavingForm>
  );
}

/** Attributes of other categories are named by their ids. */
function varyingAttribute(id: string, known: readonly Attribute[] | undefined): VaryingAttribute {
  const attribute = known?.find(({ attribute_id: one }) => String(one) === id);
  return {
    id,
    name: attribute?.attribute_description ?? `Attribute ${id}`,
    values: attribute?.values ?? [],
    units: attribute?.units ?? [],
    isFreeText: attribute?.free_text !== false,
  };
}
