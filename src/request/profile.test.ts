import { describe, expect, test } from 'vitest'
import { toProfile, VENDORS, type Profile } from './profile.ts'

const messages = (model: string) => toProfile({ wire: 'anthropic-messages', model })
const chat = (model: string, host?: string) => toProfile({ wire: 'openai-chat', model, host })
const responses = (model: string, host?: string) =>
  toProfile({ wire: 'openai-responses', model, host })

describe('the vendor', () => {
  test.each([
    ['api.openai.com', 'openai'],
    ['mine.openai.azure.com', 'azure'],
    ['API.DeepSeek.com', 'deepseek'],
    ['generativelanguage.googleapis.com', 'gemini'],
    ['api.groq.com', 'groq'],
    ['api.mistral.ai', 'mistral'],
    ['api.moonshot.cn', 'moonshot'],
    ['openrouter.ai', 'openrouter'],
    ['dashscope-intl.aliyuncs.com', 'qwen'],
    ['api.x.ai', 'xai'],
    ['notx.ai', 'other'],
    ['localhost', 'other'],
  ])('is told by the host %s', (host, vendor) => {
    expect(chat('m', host).vendor).toBe(vendor)
  })

  test('is told by the model where the host is nobody’s', () => {
    expect(chat('deepseek-ai/DeepSeek-V3.2', 'localhost').vendor).toBe('deepseek')
    expect(chat('kimi-k2').vendor).toBe('moonshot')
    expect(chat('google/gemini-3-pro').vendor).toBe('gemini')
  })

  test('is what the config says, first of all', () => {
    const named = toProfile({
      wire: 'openai-chat',
      host: 'api.openai.com',
      vendor: 'vllm',
      model: 'm',
    })
    expect(named.vendor).toBe('vllm')
  })
})

describe('Claude, by generation', () => {
  test.each<[string, Partial<Profile>]>([
    ['claude-3-5-sonnet-20241022', { thinking: 'none', takesPrefill: true, takesSampling: true }],
    ['claude-3-7-sonnet-latest', { thinking: 'manual', takesPrefill: true }],
    ['claude-opus-4-20250514', { thinking: 'manual', takesSampling: true, efforts: undefined }],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', { thinking: 'manual', takesPrefill: true }],
    ['anthropic/claude-sonnet-4.5', { thinking: 'manual' }],
    ['claude-haiku-4-5', { thinking: 'manual' }],
    [
      'claude-opus-4-6',
      {
        thinking: 'adaptive',
        takesPrefill: false,
        takesSampling: true,
        efforts: ['low', 'medium', 'high', 'max'],
      },
    ],
    ['claude-opus-4-7', { takesSampling: false, takesMidSystem: false }],
    ['claude-opus-4-8', { takesMidSystem: true, canStopThinking: true }],
    ['claude-sonnet-5', { thinking: 'adaptive', takesMidSystem: false }],
    ['claude-fable-5', { takesMidSystem: true, canStopThinking: false }],
    ['opus', { thinking: 'adaptive', takesSampling: false }],
  ])('%s', (model, facts) => {
    expect(messages(model)).toMatchObject(facts)
  })

  test('another vendor’s model behind the same API is asked as Claude 4 was', () => {
    expect(messages('glm-5')).toMatchObject({
      thinking: 'manual',
      takesSampling: true,
      takesMidSystem: false,
    })
  })
})

describe('OpenAI, by generation', () => {
  test.each<[string, Partial<Profile>]>([
    ['gpt-4.1', { efforts: undefined, takesSampling: true, systemRole: 'system', maxStop: 4 }],
    ['gpt-5-chat-latest', { efforts: undefined, takesSampling: true }],
    ['o3', { efforts: ['low', 'medium', 'high'], takesSampling: false, takesVerbosity: false }],
    ['gpt-5', { efforts: ['minimal', 'low', 'medium', 'high'], canStopThinking: false }],
    ['gpt-5-codex', { efforts: ['low', 'medium', 'high'], canStopThinking: false }],
    ['gpt-5-pro', { efforts: ['high'] }],
    ['gpt-5.1', { efforts: ['none', 'low', 'medium', 'high'], canStopThinking: true }],
    ['gpt-5.1-codex-max', { efforts: ['low', 'medium', 'high', 'xhigh'] }],
    ['openai/gpt-5.2', { efforts: ['none', 'low', 'medium', 'high', 'xhigh'], maxStop: 0 }],
    ['gpt-5.3', { takesToolsWithReasoning: true, takesCacheMarks: false }],
    ['gpt-5.4', { takesToolsWithReasoning: false }],
    ['gpt-5.6', { takesCacheMarks: true }],
    ['ft:gpt-5.2:me::id', { takesSampling: false }],
  ])('%s', (model, facts) => {
    expect(chat(model, 'api.openai.com')).toMatchObject({
      ...facts,
      maxTokensField: 'max_completion_tokens',
    })
  })

  test('on Responses tools and reasoning go together, and nothing is known of stop', () => {
    expect(responses('gpt-5.5')).toMatchObject({ takesToolsWithReasoning: true, maxStop: 0 })
    expect(responses('gpt-4.1')).toMatchObject({ maxStop: 0, takesVerbosity: false })
  })

  test('somebody else’s Responses has no custom tools', () => {
    expect(responses('grok-4', 'api.x.ai').takesCustomTools).toBe(false)
    expect(responses('gpt-5.5', 'api.openai.com').takesCustomTools).toBe(true)
  })
})

describe('servers that speak Chat', () => {
  test('a server of which nothing is known gets what most take', () => {
    expect(chat('llama', 'localhost')).toMatchObject({
      vendor: 'other',
      maxTokensField: 'max_tokens',
      systemRole: 'system',
      takesCustomTools: false,
      takesStreamOptions: true,
      schema: 'full',
    })
  })

  test('Mistral wants ids of nine signs', () => {
    expect(chat('mistral-large', 'api.mistral.ai').toolIds).toEqual({ maxLength: 9, form: 'nine' })
  })

  test('DeepSeek wants its thinking back, and knows no schema for answers', () => {
    expect(chat('deepseek-chat', 'api.deepseek.com')).toMatchObject({
      thinkingField: 'reasoning_content',
      takesJsonSchema: false,
    })
  })

  test('Gemini takes a narrow schema and no field that it does not know', () => {
    expect(chat('gemini-3-pro', 'generativelanguage.googleapis.com')).toMatchObject({
      schema: 'gemini',
      userField: undefined,
      takesParallelFlag: false,
    })
  })

  test('open weights with the name of OpenAI are no model of its API', () => {
    expect(
      toProfile({ wire: 'openai-chat', vendor: 'ollama', model: 'gpt-oss:20b' }),
    ).toMatchObject({
      maxTokensField: 'max_tokens',
      systemRole: 'system',
      efforts: ['low', 'medium', 'high'],
    })
  })

  test('an effort is not sent where it would be refused', () => {
    expect(chat('llama-3.3-70b', 'api.groq.com').efforts).toBeUndefined()
    expect(chat('grok-4', 'api.x.ai')).toMatchObject({ efforts: undefined, maxStop: 0 })
    expect(chat('grok-3-mini', 'api.x.ai').efforts).toEqual(['low', 'high'])
  })
})

test('every vendor has a profile on every wire, whatever the model is called', () => {
  for (const wire of ['anthropic-messages', 'openai-chat', 'openai-responses'] as const)
    for (const vendor of VENDORS)
      for (const model of ['', '/', 'claude-', 'gpt-', 'o', 'ft:', '💥'])
        expect(toProfile({ wire, vendor, model }).vendor).toBe(vendor)
})
