/** Table of the offers in a variation group, by the attributes in which they differ. Values are added and changed in place. */
import { Autocomplete, Badge, Button, Center, Group, Select, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { onlyIf } from '../../../../api/client.ts';
import { type OfferKey, offerQuery, pathOf, refreshOffer } from '../../../../api/offer.ts';
import { RemoveButton } from '../../../../ui/confirm.tsx';
import { DataTable } from '../../../../ui/data-table.tsx';
import { withCurrent } from '../../../../ui/forms/choices.ts';
import { inPageWords } from '../../../../ui/forms/page-words.ts';
import { useUnsaved } from '../../../../ui/forms/unsaved.tsx';
import { TextLink } from '../../../../ui/links.tsx';
import { countText } from '../../../../ui/numbers.ts';
import { OfferImage } from '../../../../ui/offer-image.tsx';
import { valuesOf } from '../data-values.ts';
import { saveData } from '../save-data.ts';

/** How many members are read and shown at first, and more each time. */
const MEMBERS_SHOWN = 20;

export interface VaryingAttribute {
  readonly id: string;
  readonly name: string;
  /** Values to choose from. */
  readonly values: readonly string[];
  readonly units: readonly string[];
  readonly isFreeText: boolean;
}

interface GroupMembersProps {
  readonly parent: OfferKey;
  readonly childSkus: readonly string[];
  readonly excluded: readonly string[];
  readonly attributes: readonly VaryingAttribute[];
  /** Undefined if the user cannot make changes. */
  readonly remove: ((sku: string) => void) | undefined;
}

export function GroupMembers({ parent, childSkus, excluded, attributes, remove }: GroupMembersProps) {
  const [shown, setShown] = useState(MEMBERS_SHOWN);
  const members = [parent.sku, ...childSkus];
  const keyOf = (sku: string): OfferKey => ({ environment: parent.environment, sku });
  return (
    <>
      <DataTable
        aria-label="Offers of the group"
        minWidth={640}
        rows={members.slice(0, shown)}
        keyOf={(sku) => sku}
        columns={[
          {
            head: 'Offer',
            isTitle: true,
            cell: (sku) => (
              <Member offerKey={keyOf(sku)} isParent={sku === parent.sku} isExcluded={excluded.includes(sku)} />
            ),
          },
          ...attributes.map((attribute) => ({
            head: attribute.name,
            cell: (sku: string) => (
              <AttributeCell offerKey={keyOf(sku)} attribute={attribute} isReadOnly={remove === undefined} />
            ),
          })),
        ]}
        actions={remove && ((sku) => sku !== parent.sku && <RemoveButton what={sku} remove={() => remove(sku)} />)}
      />
      {members.length > shown && (
        <Center>
          <Button variant="default" size="xs" onClick={() => setShown(shown + MEMBERS_SHOWN)}>
            Show more ({countText(members.length - shown)} left)
          </Button>
        </Center>
      )}
    </>
  );
}

interface MemberProps {
  readonly offerKey: OfferKey;
  readonly isParent: boolean;
  readonly isExcluded: boolean;
}

function Member({ offerKey, isParent, isExcluded }: MemberProps) {
  const { data: offer, isError } = useQuery(offerQuery(offerKey));
  const title = offer?.product_title.trim() || offerKey.sku;
  return (
    <Group gap="sm" wrap="nowrap">
      <OfferImage address={offer?.main_image_url ?? null} size={32} />
      <div>
        {isParent ? (
          <Text size="sm" lineClamp={2} title={title}>
            {title}
          </Text>
        ) : (
          <TextLink to="/$environment/offers/$sku" params={offerKey} fz="sm" lineClamp={2} title={title}>
            {title}
          </TextLink>
        )}
        <Group gap={6}>
          <Text size="xs" c="dimmed" className="anywhere">
            {offerKey.sku}
          </Text>
          {isParent && <Badge variant="default">Parent</Badge>}
          {isExcluded && (
            <Badge variant="light" color="orange">
              Excluded
            </Badge>
          )}
          {isError && (
            <Text size="xs" c="var(--mantine-color-error)">
              Could not be read
            </Text>
          )}
        </Group>
      </div>
    </Group>
  );
}

interface AttributeCellProps {
  readonly offerKey: OfferKey;
  readonly attribute: VaryingAttribute;
  readonly isReadOnly: boolean;
}

function AttributeCell({ offerKey, attribute, isReadOnly }: AttributeCellProps) {
  const { data: offer } = useQuery(offerQuery(offerKey));
  if (offer === undefined) return null;
  const stored = valuesOf(offer).attributes.filter(({ attribute_id: id }) => id === attribute.id);
  const text = stored.map(({ attribute_value: value, attribute_value_unit: unit }) => `${value} ${unit}`.trim());
  // Several values are edited on the page of the offer.
  if (!isReadOnly && !offer.is_archived && stored.length < 2) {
    const value = stored[0]?.attribute_value ?? '';
    const unit = stored[0]?.attribute_value_unit || (attribute.units.length === 1 ? attribute.units[0] : '') || '';
    if (unit !== '' || attribute.units.length === 0) {
      return <ValueField offerKey={offerKey} attribute={attribute} value={value} unit={unit} />;
    }
    return (
      <TextLink to="/$environment/offers/$sku" params={offerKey} search={{ tab: 'data' }} fz="sm">
        {value === '' ? 'Add value and unit' : `${value}: add unit`}
      </TextLink>
    );
  }
  return text.length > 0 ? text.join(', ') : <Text c="dimmed">—</Text>;
}

interface ValueFieldProps {
  readonly offerKey: OfferKey;
  readonly attribute: VaryingAttribute;
  /** The stored value; '' if the offer has none. */
  readonly value: string;
  /** Saved with the value; '' if the attribute has no units. */
  readonly unit: string;
}

function ValueField({ offerKey, attribute, value, unit }: ValueFieldProps) {
  const { id, name, values, isFreeText } = attribute;
  const queryClient = useQueryClient();
  /** Undefined: the stored value is shown. */
  const [typed, setTyped] = useState<string>();
  /** The value that was chosen or typed last, and the one that was sent: Enter and leaving the field save it once. */
  const latest = useRef<string>(undefined);
  const sent = useRef<string>(undefined);
  const type = (next: string | undefined) => {
    latest.current = next;
    setTyped(next);
  };
  const saving = useMutation({
    // A row is saved after its earlier save was read, so that the offer has the version of the earlier one.
    scope: { id: ['data', offerKey.environment, offerKey.sku].join(' ') },
    mutationFn: async (next: string) => {
      const offer = await queryClient.ensureQueryData(offerQuery(offerKey));
      const data = valuesOf(offer);
      const row = { attribute_id: id, attribute_value: next, attribute_value_unit: unit };
      const others = data.attributes.filter(({ attribute_id: one }) => one !== id);
      const changed = { ...data, attributes: next === '' ? others : [...others, row] };
      return saveData({ path: pathOf(offerKey), header: onlyIf(offer.etag) }, offer, changed);
    },
    onSuccess: async (_answer, next) => {
      await refreshOffer(queryClient, offerKey);
      sent.current = undefined;
      if (latest.current?.trim() === next) type(undefined);
    },
    // What was typed stays, and Enter sends it again.
    onError: () => refreshOffer(queryClient, offerKey),
  });
  const reset = () => {
    if (saving.isPending) return;
    sent.current = undefined;
    type(undefined);
    saving.reset();
  };
  const save = () => {
    const next = latest.current?.trim();
    if (next === undefined || next === sent.current) return;
    if (next === value) return reset();
    sent.current = next;
    saving.mutate(next);
  };
  const saveAgain = () => {
    if (saving.isError) sent.current = undefined;
    save();
  };
  const shown = typed ?? value;
  useUnsaved(shown !== value);
  const shared = {
    'aria-label': `${name}${unit && ` (${unit})`} of ${offerKey.sku}`,
    placeholder: 'Missing',
    size: 'xs',
    w: 170,
    miw: 120,
    readOnly: saving.isPending,
    // A gap is marked, but has no message.
    error: saving.isError ? (inPageWords(saving.error) ?? saving.error).message : shown === '',
  };
  const choose = (next: string | null) => {
    type(next ?? '');
    saveAgain();
  };
  const field =
    values.length > 0 && !isFreeText ? (
      <Select
        {...shared}
        searchable
        data={withCurrent(values, shown || null)}
        value={shown || null}
        onChange={choose}
      />
    ) : (
      <Autocomplete
        {...shared}
        data={values}
        value={shown}
        onChange={type}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === 'Escape') reset();
          if (event.key !== 'Enter') return;
          // Would submit the form of the group.
          event.preventDefault();
          saveAgain();
        }}
        onOptionSubmit={choose}
      />
    );
  return (
    <Group gap={6} wrap="nowrap">
      {field}
      {unit && (
        <Text size="xs" c="dimmed">
          {unit}
        </Text>
      )}
    </Group>
  );
}
