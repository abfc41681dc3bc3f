import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import { decode, encode, type Answer, type Question } from 'dns-packet'

/** A name server that knows only what a test tells it. Its answers are good for no time at all. */
export type FakeDns = {
  /** `address:port`, as name servers are given. */
  address: string
  asked: { name: string; type: string }[]
  close(): Promise<void>
}

/** `n` counts the questions for that name and type from 1; no addresses mean that the name has none of the type. */
export type DnsAnswers = (name: string, type: string, n: number) => string[] | 'drop' | 'nxdomain'

type Owner = { after(done: () => Promise<void> | void): void }

const NXDOMAIN = 3
const AUTHORITATIVE = 1 << 10

export async function startDns(owner: Owner, answers: DnsAnswers): Promise<FakeDns> {
  const asked: FakeDns['asked'] = []
  const socket = createSocket('udp4')
  const reply = (message: Buffer, from: RemoteInfo): void => {
    const { id = 0, questions = [] } = decode(message)
    const [question] = questions
    if (question === undefined) return
    const [name, type] = [question.name.toLowerCase(), question.type]
    const n = asked.push({ name, type }) && asked.filter(it => it.name === name && it.type === type).length
    const answer = answers(name, type, n)
    if (answer === 'drop') return
    const records = answer === 'nxdomain' ? [] : answer.map(data => record(question, data))
    const flags = AUTHORITATIVE | (answer === 'nxdomain' ? NXDOMAIN : 0)
    socket.send(encode({ type: 'response', id, flags, questions, answers: records }), from.port, from.address)
  }
  socket.on('message', reply)
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  let isOpen = true
  const close = async (): Promise<void> => {
    if (!isOpen) return
    isOpen = false
    await new Promise<void>(resolve => socket.close(() => resolve()))
  }
  owner.after(close)
  return { address: `127.0.0.1:${socket.address().port}`, asked, close }
}

function record(question: Question, data: string): Answer {
  return { type: question.type === 'AAAA' ? 'AAAA' : 'A', name: question.name, ttl: 0, class: 'IN', data }
}
