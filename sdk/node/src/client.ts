import { Transport, type Answer, type Call, type ClientOptions, type RequestOptions } from './transport.ts'

/** What every operation goes through; `operations.ts` has one method for each. */
export class Client {
  readonly #transport: Transport

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options)
  }

  /** Any request, such as an operation that this version does not know; gives the whole envelope as JSON has it. */
  async request(call: Call, options?: RequestOptions): Promise<Answer['body']> {
    return (await this.#transport.send(call, options)).body
  }

  /** With amounts as text, as the types have them. */
  async #exact(call: Call, options?: RequestOptions): Promise<Answer['body']> {
    return (await this.#transport.send({ ...call, accept: 'exact' }, options)).body
  }

  protected async one<Data>(call: Call, options?: RequestOptions): Promise<Data> {
    return (await this.#exact(call, options)).data as Data
  }

  protected async file(call: Call, options?: RequestOptions): Promise<Uint8Array> {
    return (await this.#transport.send({ ...call, accept: 'file' }, options)).bytes
  }

  protected list<Item>(call: Call, options?: RequestOptions): List<Item> {
    return new List(cursor => this.#exact({ ...call, query: { ...call.query, ...cursor } }, options))
  }
}

export type Page<Item> = { data: Item[]; nextCursor: string | undefined }

/** All items of a list, asked for page by page as they are read: `for await (const order of bursar.listPayOrders())`. */
export class List<Item> implements AsyncIterable<Item> {
  readonly #read: (cursor: { cursor?: string }) => Promise<Answer['body']>

  constructor(read: (cursor: { cursor?: string }) => Promise<Answer['body']>) {
    this.#read = read
  }

  /** One page: the first, or the one behind a `nextCursor`. */
  async page(cursor?: string): Promise<Page<Item>> {
    const { data, next_cursor: nextCursor } = await this.#read(cursor === undefined ? {} : { cursor })
    return { data: data as Item[], nextCursor }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item> {
    let cursor: string | undefined
    do {
      const { data, nextCursor } = await this.page(cursor)
      yield* data
      cursor = nextCursor
    } while (cursor !== undefined)
  }

  async toArray(): Promise<Item[]> {
    const items: Item[] = []
    for await (const item of this) items.push(item)
    return items
  }
}
