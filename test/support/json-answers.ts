/**
 * JSON answers of the three wires, written by us: what each vendor sends when nobody streams, with
 * fields that we know and fields that we do not. Knows nothing of ours.
 */
type Json = Readonly<Record<string, unknown>>

const WEB_RESULT = {
  type: 'web_search_result',
  url: 'https://weather.example/bern',
  title: 'Weather in Bern',
  encrypted_content: 'c2VhbGVk',
  page_age: null,
}

const messagesUsage = {
  input_tokens: 100,
  cache_creation_input_tokens: 30,
  cache_read_input_tokens: 20,
  cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 0 },
  output_tokens: 50,
  output_tokens_details: { thinking_tokens: 10 },
  server_tool_use: { web_search_requests: 1 },
  service_tier: 'standard',
}

const message = (content: readonly Json[], rest: Json = {}): Json => ({
  id: 'msg_01abc',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  stop_details: null,
  container: { id: 'container_1', expires_at: '2026-11-15T00:00:00Z' },
  context_management: { applied_edits: [] },
  usage: messagesUsage,
  ...rest,
})

export const MESSAGES = {
  rich: message(
    [
      { type: 'thinking', thinking: 'They want the weather.', signature: 'c2lnbmVk' },
      { type: 'redacted_thinking', data: 'aGlkZGVu' },
      { type: 'text', text: 'I look it up. ', citations: null },
      {
        type: 'server_tool_use',
        id: 'srvtoolu_1',
        name: 'web_search',
        input: { query: 'Bern' },
        caller: { type: 'direct' },
      },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [WEB_RESULT] },
      {
        type: 'text',
        text: 'It rains.',
        citations: [
          {
            type: 'web_search_result_location',
            url: WEB_RESULT.url,
            title: WEB_RESULT.title,
            encrypted_index: 'aW5kZXg',
            cited_text: 'Rain',
          },
        ],
      },
      { type: 'container_upload', file_id: 'file_1' },
      {
        type: 'tool_use',
        id: 'toolu_1',
        name: 'weather',
        input: { city: 'Bern', days: 3 },
        caller: { type: 'direct' },
      },
      { type: 'tool_use', id: 'toolu_2', name: 'time', input: {} },
    ],
    { stop_reason: 'tool_use' },
  ),
  plain: message([{ type: 'text', text: 'Hello.', citations: null }]),
  empty: message([]),
  refused: message([], {
    stop_reason: 'refusal',
    stop_details: { type: 'refusal', category: 'cyber', explanation: 'Not this.' },
  }),
  stopped: message([{ type: 'text', text: 'One, two' }], {
    stop_reason: 'stop_sequence',
    stop_sequence: 'three',
  }),
  paused: message([{ type: 'text', text: 'And so' }], { stop_reason: 'pause_turn' }),
  unheardOf: message([{ type: 'text', text: 'And so' }], { stop_reason: 'sunset' }),
  full: message([{ type: 'text', text: 'And so' }], { stop_reason: 'max_tokens' }),
} as const satisfies Record<string, Json>

const chatUsage = {
  prompt_tokens: 150,
  completion_tokens: 50,
  total_tokens: 200,
  prompt_tokens_details: { cached_tokens: 20, cache_write_tokens: 30, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 10, accepted_prediction_tokens: 0 },
}

const completion = (choices: readonly Json[], rest: Json = {}): Json => ({
  id: 'chatcmpl-abc',
  object: 'chat.completion',
  created: 1763200000,
  model: 'gpt',
  choices,
  usage: chatUsage,
  service_tier: 'default',
  system_fingerprint: 'fp_1',
  ...rest,
})

const choice = (said: Json, finish_reason: string, rest: Json = {}): Json => ({
  index: 0,
  message: { role: 'assistant', content: null, refusal: null, ...said },
  logprobs: null,
  finish_reason,
  ...rest,
})

const functionCall = (id: string, name: string, args: string, rest: Json = {}): Json => ({
  id,
  type: 'function',
  function: { name, arguments: args },
  ...rest,
})

const URL_CITATION = {
  type: 'url_citation',
  url_citation: { url: WEB_RESULT.url, title: WEB_RESULT.title, start_index: 0, end_index: 9 },
}

export const CHAT = {
  rich: completion([
    choice(
      {
        content: 'It rains.',
        reasoning_content: 'They want the weather.',
        annotations: [URL_CITATION],
        tool_calls: [
          functionCall('call_1', 'weather', '{"city":"Bern","days":3}', {
            extra_content: { google: { thought_signature: 'c2ln' } },
          }),
          functionCall('call_2', 'time', '{}'),
        ],
      },
      'tool_calls',
      { content_filter_results: { hate: { filtered: false } } },
    ),
  ]),
  plain: completion([choice({ content: 'Hello.' }, 'stop')]),
  emptyCall: completion([
    choice({ tool_calls: [functionCall('call_1', 'time', '')] }, 'tool_calls'),
  ]),
  cut: completion([
    choice({ tool_calls: [functionCall('call_1', 'weather', '{"city":"Be')] }, 'length'),
  ]),
  refused: completion([choice({ refusal: 'I cannot do that.' }, 'stop')]),
  broken: completion([
    choice({ tool_calls: [functionCall('call_1', 'weather', '{"city" Bern}')] }, 'tool_calls'),
  ]),
  longId: completion([
    choice({ tool_calls: [functionCall('functions.weather:0', 'weather', '{}')] }, 'tool_calls'),
  ]),
  filtered: completion([choice({ content: 'And' }, 'content_filter')]),
  custom: completion([
    choice(
      {
        tool_calls: [
          { id: 'call_1', type: 'custom', custom: { name: 'run', input: 'ls "a b"\n' } },
        ],
      },
      'tool_calls',
    ),
  ]),
  two: completion([
    choice({ content: 'Hello.' }, 'stop'),
    choice({ content: 'Goodbye' }, 'length', { index: 1 }),
  ]),
} as const satisfies Record<string, Json>

const responsesUsage = {
  input_tokens: 150,
  input_tokens_details: { cached_tokens: 20, cache_write_tokens: 30 },
  output_tokens: 50,
  output_tokens_details: { reasoning_tokens: 10 },
  total_tokens: 200,
}

const response = (output: readonly Json[], rest: Json = {}): Json => ({
  id: 'resp_abc',
  object: 'response',
  created_at: 1763200000,
  status: 'completed',
  background: false,
  completed_at: 1763200003,
  conversation: { id: 'conv_1' },
  error: null,
  incomplete_details: null,
  instructions: 'Be short.',
  metadata: { run: '7' },
  model: 'gpt',
  output,
  parallel_tool_calls: false,
  store: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  usage: responsesUsage,
  ...rest,
})

const part = (text: string, rest: Json = {}): Json => ({
  type: 'output_text',
  text,
  annotations: [],
  logprobs: [],
  ...rest,
})

const said = (id: string, ...content: readonly Json[]): Json => ({
  id,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content,
})

export const RESPONSES = {
  rich: response([
    {
      id: 'rs_1',
      type: 'reasoning',
      summary: [
        { type: 'summary_text', text: 'They want the weather.' },
        { type: 'summary_text', text: 'I look it up.' },
      ],
      encrypted_content: 'c2VhbGVk',
    },
    {
      id: 'ws_1',
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', query: 'Bern' },
    },
    {
      ...said(
        'msg_1',
        part('It rains.', {
          annotations: [
            {
              type: 'url_citation',
              url: WEB_RESULT.url,
              title: WEB_RESULT.title,
              start_index: 0,
              end_index: 9,
            },
          ],
        }),
      ),
      phase: 'commentary',
    },
    {
      id: 'fc_1',
      type: 'function_call',
      call_id: 'call_1',
      name: 'weather',
      arguments: '{"city":"Bern","days":3}',
      status: 'completed',
    },
    {
      id: 'ctc_1',
      type: 'custom_tool_call',
      call_id: 'call_2',
      name: 'run',
      input: 'ls "a b"\n',
      status: 'completed',
    },
    {
      id: 'sh_1',
      type: 'shell_call',
      call_id: 'call_3',
      status: 'completed',
      action: { commands: ['ls'], timeout_ms: 1000 },
      environment: { type: 'local' },
    },
    { id: 'cmp_1', type: 'compaction', encrypted_content: 'Y29tcGFjdA' },
  ]),
  plain: response([said('msg_1', part('Hello.'))]),
  emptyCall: response([
    {
      id: 'fc_1',
      type: 'function_call',
      call_id: 'call_1',
      name: 'time',
      arguments: '',
      status: 'completed',
    },
  ]),
  cut: response(
    [
      {
        id: 'fc_1',
        type: 'function_call',
        call_id: 'call_1',
        name: 'weather',
        arguments: '{"city":"Be',
        status: 'incomplete',
      },
    ],
    {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      completed_at: null,
    },
  ),
  longId: response([
    {
      id: 'fc_1',
      type: 'function_call',
      call_id: `call_${'x'.repeat(50)}`,
      name: 'time',
      arguments: '{}',
      status: 'completed',
    },
  ]),
  filtered: response([said('msg_1', part('And'))], {
    status: 'incomplete',
    incomplete_details: { reason: 'content_filter' },
    completed_at: null,
  }),
  probable: response([
    said(
      'msg_1',
      part('Hi', {
        logprobs: [{ token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [] }],
      }),
    ),
  ]),
  refused: response([said('msg_1', { type: 'refusal', refusal: 'I cannot do that.' })]),
  sealed: response([
    { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'c2VhbGVk' },
    said('msg_1', part('Hello.')),
  ]),
  twice: response([said('msg_1', part('One.'), part('Two.')), said('msg_2', part('Three.'))]),
} as const satisfies Record<string, Json>
