/** Converts times between the API and fields of type `datetime-local`, which show the viewer's zone. */
const MINUTE_MS = 60_000;

/** Returns the value of a field for a time in ISO 8601. Seconds are left out. */
export function localDate(at: string): string {
  const date = new Date(at);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS);
  return shifted.toISOString().slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

/** Returns the time for the value of a field, which is empty or complete. */
export function timeOf(text: string): string | undefined {
  return text === '' ? undefined : new Date(text).toISOString();
}
