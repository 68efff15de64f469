/** The lines by which programs find this gateway: SDKs and curl. Neighbours: `connect-clients.ts` has them all. */
import { KEY, sh, type ClientGuide, type Facts } from './connect-words.ts'

export const SDKS: readonly ClientGuide[] = [
  {
    id: 'anthropic-sdk',
    name: 'Anthropic SDK',
    wire: 'anthropic-messages',
    agent: /anthropic/i,
    write: ({ url, model, shown, isBeside }) => [
      {
        title: 'TypeScript',
        text: sh([
          "import Anthropic from '@anthropic-ai/sdk'",
          '',
          `const client = new Anthropic({ baseURL: '${url}', apiKey: '${shown}'${tsHeader(isBeside)} })`,
          'const message = await client.messages.create({',
          `  model: '${model}',`,
          '  max_tokens: 1000,',
          "  messages: [{ role: 'user', content: 'Hello' }],",
          '})',
          'console.log(message.content)',
        ]),
      },
      {
        title: 'Python',
        text: sh([
          'from anthropic import Anthropic',
          '',
          `client = Anthropic(base_url="${url}", api_key="${shown}"${pyHeader(isBeside)})`,
          'message = client.messages.create(',
          `    model="${model}",`,
          '    max_tokens=1000,',
          '    messages=[{"role": "user", "content": "Hello"}],',
          ')',
          'print(message.content)',
        ]),
      },
    ],
  },
  {
    id: 'openai-sdk',
    name: 'OpenAI SDK',
    wire: 'openai-responses',
    agent: /openai/i,
    write: ({ url, model, shown, isBeside }) => [
      {
        title: 'TypeScript',
        text: sh([
          "import OpenAI from 'openai'",
          '',
          `const client = new OpenAI({ baseURL: '${url}/v1', apiKey: '${shown}'${tsHeader(isBeside)} })`,
          `const response = await client.responses.create({ model: '${model}', input: 'Hello' })`,
          'console.log(response.output_text)',
        ]),
      },
      {
        title: 'Python',
        text: sh([
          'from openai import OpenAI',
          '',
          `client = OpenAI(base_url="${url}/v1", api_key="${shown}"${pyHeader(isBeside)})`,
          `response = client.responses.create(model="${model}", input="Hello")`,
          'print(response.output_text)',
        ]),
      },
    ],
  },
  {
    id: 'ai-sdk',
    name: 'AI SDK',
    wire: 'openai-chat',
    agent: /^(?:ai|node|undici)\b/i,
    write: ({ url, model, shown, isBeside }) => [
      {
        title: 'TypeScript',
        text: sh([
          "import { createOpenAI } from '@ai-sdk/openai'",
          "import { generateText } from 'ai'",
          '',
          `const openai = createOpenAI({ baseURL: '${url}/v1', apiKey: '${shown}'${isBeside ? `, headers: { 'x-sluice-key': '${KEY}' }` : ''} })`,
          `const { text } = await generateText({ model: openai.chat('${model}'), prompt: 'Hello' })`,
          'console.log(text)',
        ]),
      },
    ],
  },
  {
    id: 'langchain',
    name: 'LangChain',
    wire: 'openai-chat',
    agent: /langchain|openai/i,
    write: ({ url, model, shown, isBeside }) => [
      {
        title: 'TypeScript',
        text: sh([
          "import { ChatOpenAI } from '@langchain/openai'",
          '',
          'const model = new ChatOpenAI({',
          `  model: '${model}',`,
          `  apiKey: '${shown}',`,
          `  configuration: { baseURL: '${url}/v1'${tsHeader(isBeside)} },`,
          '})',
          "console.log((await model.invoke('Hello')).text)",
        ]),
      },
    ],
  },
  {
    id: 'curl',
    name: 'curl',
    wire: 'anthropic-messages',
    agent: /^curl/i,
    write: (facts) => CURL.map(([title, path, body]) => ({ title, text: curl(facts, path, body) })),
  },
]

const tsHeader = (isBeside: boolean): string =>
  isBeside ? `, defaultHeaders: { 'x-sluice-key': '${KEY}' }` : ''
const pyHeader = (isBeside: boolean): string =>
  isBeside ? `, default_headers={"x-sluice-key": "${KEY}"}` : ''

const TURN = [{ role: 'user', content: 'Hello' }]
const CURL: readonly (readonly [title: string, path: string, body: object])[] = [
  ['Messages', '/v1/messages', { max_tokens: 1000, stream: true, messages: TURN }],
  ['Chat Completions', '/v1/chat/completions', { stream: true, messages: TURN }],
  ['Responses', '/v1/responses', { stream: true, input: 'Hello' }],
]

function curl({ url, model, shown, isBeside }: Facts, path: string, body: object): string {
  const isMessages = path === '/v1/messages'
  const headers = [
    'content-type: application/json',
    ...(isMessages ? ['anthropic-version: 2023-06-01'] : []),
    isMessages ? `x-api-key: ${shown}` : `authorization: Bearer ${shown}`,
    ...(isBeside ? [`x-sluice-key: ${KEY}`] : []),
  ]
  return sh([
    `curl -N ${url}${path} \\`,
    ...headers.map((header) => `  -H ${quote(header)} \\`),
    `  -d ${quote(JSON.stringify({ model, ...body }))}`,
  ])
}

/** For any shell: a model may have any name. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
