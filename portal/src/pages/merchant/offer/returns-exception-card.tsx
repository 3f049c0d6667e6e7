/** Form for an offer's own return locations. */
import { MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { returnLocationsQuery } from '../../../api/account-settings.ts';
import { api, ask } from '../../../api/client.ts';
import { pathOf, type ReturnsExceptions, returnsExceptionsQuery } from '../../../api/offer.ts';
import { useHeldForm } from '../../../ui/forms/held-form.ts';
import { type Fields, SavingForm, useSaving } from '../../../ui/forms/saving.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { type OfferPartProps, useOfferRefresh } from './offer-part.ts';

export function ReturnsExceptionCard(props: OfferPartProps) {
  const exception = useQuery(returnsExceptionsQuery(props.offerKey));
  return (
    <Panel title="Returns exception" about="Return locations for this offer. Leave this empty to use your default.">
      <QueryView query={exception} what="returns exception">
        {(found) => <ReturnsForm {...props} exceptions={found} />}
      </QueryView>
    </Panel>
  );
}

interface ReturnsFormProps extends OfferPartProps {
  readonly exceptions: ReturnsExceptions | null;
}

const fields: Fields = { names: () => ['return_location_ids'], nameOf: (pointer) => pointer.split('/')[1] };

function ReturnsForm({ offerKey, mayChange, exceptions }: ReturnsFormProps) {
  const locationIds = exceptions?.return_location_ids ?? [];
  const locations = useQuery(returnLocationsQuery(offerKey.environment));
  const held = useHeldForm({ return_location_ids: [...locationIds] }, exceptions?.etag);
  const { form } = held;
  const saving = useSaving({
    refresh: useOfferRefresh(offerKey),
    held,
    fields,
    save: (body, header) =>
      ask(
        api.PUT('/{environment}/merchant-skus/{user_defined_sku_id}/returnsexception', {
          params: { path: pathOf(offerKey), header },
          body,
        }),
      ),
  });
  return (
    <SavingForm saving={saving} held={held} fields={fields} mayChange={mayChange} maw={480}>
      <MultiSelect
        label="Return locations"
        data={locations.data?.return_locations.map((location) => location.return_location_id) ?? [...locationIds]}
        readOnly={!mayChange}
        {...form.getInputProps('return_location_ids')}
      />
    </SavingForm>
  );
}
