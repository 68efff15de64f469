/**
 * SDKs on another Node: reads jobs as JSON lines on standard input, runs them one by one, writes one
 * outcome a line. A job is `{ key, sdk, flow, place }`, and `{ key }` alone asks which there are. Servers run in
 * the parent. Neighbours: `../support/sdk-child.ts` is the other end.
 */
import { createInterface } from 'node:readline'
import Anthropic from 'anthropic-0.130'
import OpenAI from 'openai'
import { chatFlows } from '../support/sdk-chat.ts'
import { runFlow, type Flows, type Place } from '../support/sdk-flow.ts'
import { messagesFlows } from '../support/sdk-messages.ts'
import { responsesFlows } from '../support/sdk-responses.ts'
import { agentsChat, agentsResponses } from './flows-agents.ts'
import { aiAnthropic, aiChat, aiFlows, aiResponses } from './flows-ai.ts'
import { chainAnthropic, chainChat, chainFlows, chainResponses } from './flows-langchain.ts'

const SDKS: Readonly<Record<string, { wire: string; flows: Flows }>> = {
  '@anthropic-ai/sdk 0.130': {
    wire: 'anthropic-messages',
    flows: messagesFlows(Anthropic as never),
  },
  'openai 7.53 chat': { wire: 'openai-chat', flows: chatFlows(OpenAI as never) },
  'openai 7.53 responses': { wire: 'openai-responses', flows: responsesFlows(OpenAI as never) },
  'AI SDK 7 anthropic': { wire: 'anthropic-messages', flows: aiFlows(aiAnthropic) },
  'AI SDK 7 chat': { wire: 'openai-chat', flows: aiFlows(aiChat) },
  'AI SDK 7 responses': { wire: 'openai-responses', flows: aiFlows(aiResponses) },
  'LangChain anthropic': { wire: 'anthropic-messages', flows: chainFlows(chainAnthropic) },
  'LangChain chat': { wire: 'openai-chat', flows: chainFlows(chainChat) },
  'LangChain responses': { wire: 'openai-responses', flows: chainFlows(chainResponses) },
  'Agents SDK chat': { wire: 'openai-chat', flows: agentsChat },
  'Agents SDK responses': { wire: 'openai-responses', flows: agentsResponses },
}

interface Job {
  key: string
  sdk?: string
  flow?: string
  place?: Place
}

for await (const line of createInterface({ input: process.stdin })) {
  const { key, sdk, flow, place } = JSON.parse(line) as Job
  const found = SDKS[sdk ?? '']?.flows[flow ?? '']
  const value =
    found === undefined || place === undefined
      ? Object.entries(SDKS).map(([name, { wire, flows }]) => ({
          name,
          wire,
          flows: Object.keys(flows),
        }))
      : await runFlow(found, place)
  process.stdout.write(`${JSON.stringify({ key, value })}\n`)
}
