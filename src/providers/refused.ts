/** A provider answered, and the answer is no: nothing was done, and the same request will be refused again. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused'
  /** The provider's own short code, where it has one. */
  readonly code: string | null
  /** The status of its answer; null when the refusal is our own reading of it. */
  readonly httpStatus: number | null

  constructor(description: string, code: string | null = null, httpStatus: number | null = null) {
    super(description)
    this.code = code
    this.httpStatus = httpStatus
  }
}

/** For what may be refused because there is nothing left to do. */
export function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ProviderRefused)) throw error
}
