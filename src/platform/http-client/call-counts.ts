/** What came of a call to another host: an answer, a refusal with a reason, or nothing that can be used. */
export type CallOutcome = 'answered' | 'refused' | 'failed'

/** Calls of this process since its start, by who was called. */
export class CallCounts {
  readonly #counts = new Map<string, Map<CallOutcome, number>>()

  add(called: string, outcome: CallOutcome): void {
    const counts = this.#counts.get(called) ?? new Map<CallOutcome, number>()
    this.#counts.set(called, counts.set(outcome, (counts.get(outcome) ?? 0) + 1))
  }

  get all(): { called: string; outcome: CallOutcome; count: number }[] {
    return [...this.#counts].flatMap(([called, counts]) =>
      [...counts].map(([outcome, count]) => ({ called, outcome, count })),
    )
  }
}

/** Calls by account, by institute and by channel. */
export type Calls = {
  readonly providers: CallCounts
  readonly erps: CallCounts
  readonly messages: CallCounts
}
