/** A provider answered, and the answer is no: nothing was done, and the same request will be refused again. */
export class ProviderRefused extends Error {
  override readonly name = 'ProviderRefused'
  /** The provider's own short code, where it has one. */
  readonly code: string | null

  constructor(description: string, code: string | null = null) {
    super(description)
    this.code = code
  }
}
