/** Plans: changes to many offers that the server tries, and applies exactly as tried. */
import { pathTo, type Session } from './session.ts';
import type { MadePlan, Plan, PlanBody, UndoneFile, WholePlan } from './types.ts';

export class Plans {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Tries the changes. The plan has no id if no offer would change. */
  make(body: PlanBody): Promise<MadePlan> {
    return this.#session.value('POST', '/plans', { body });
  }

  /** Returns the plans of all keys and users of the merchant, newest first. */
  async list(): Promise<Plan[]> {
    return (await this.#session.value<{ plans: Plan[] }>('GET', '/plans')).plans;
  }

  /** Returns undefined if there is no such plan. */
  async get(id: string): Promise<WholePlan | undefined> {
    return (await this.#session.found<WholePlan>(pathTo`/plans/${id}`))?.value;
  }

  /** Applies the plan in the background; `api.files.follow` follows its `file`. */
  apply(id: string): Promise<Plan> {
    return this.#session.value('POST', pathTo`/plans/${id}/apply`);
  }

  /** Restores the values from before the plan where they were not changed since. */
  undo(id: string): Promise<UndoneFile> {
    return this.#session.value('POST', pathTo`/plans/${id}/undo`);
  }
}
