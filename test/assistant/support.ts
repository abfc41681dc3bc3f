import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client'
import type { Json } from '../harness/client.ts'

/** An assistant as others build one: the client of the official SDK. */
export async function connect(
  owner: { after(done: () => Promise<void>): void },
  url: string,
  authorization: string,
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const requestInit = { headers: { authorization } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  owner.after(() => client.close())
  return client
}

export const basic = ({ key, secret }: { key: string; secret: string }): string =>
  `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`

type ToolAnswer = { isError: boolean; text: string; body: Json }

export async function call(
  client: Client,
  name: string,
  sent: Record<string, unknown> = {},
): Promise<ToolAnswer> {
  const result: CallToolResult = await client.callTool({ name, arguments: sent })
  const [first] = result.content
  const text = first?.type === 'text' ? first.text : ''
  return { isError: result.isError === true, text, body: result.structuredContent }
}

export async function answered(
  client: Client,
  name: string,
  sent: Record<string, unknown> = {},
): Promise<Json> {
  const said = await call(client, name, sent)
  assert.equal(said.isError, false, `${name}: ${said.text}`)
  assert.deepEqual(JSON.parse(said.text), said.body, 'the text says the same as the structure')
  return said.body
}
