import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { weighText } from './text.ts'

/** Each with what OpenAI's o200k vocabulary makes of it. */
const ORDINARY: readonly (readonly [string, number, string])[] = [
  [
    'English prose',
    81,
    'Yesterday we talked about how the gateway should behave when its upstream is silent. It keeps the connection alive with a small sign every ten seconds, and when the upstream has said nothing for five minutes it gives up and tells the client so, in the words that the client knows. Nobody should have to guess why a request failed: the message says what could not be done, and what to do about it.',
  ],
  [
    'TypeScript',
    100,
    'export function createQueue<Item>(limit: number): Queue<Item> {\n  const items: Item[] = []\n  let isClosed = false\n  return {\n    push(item) {\n      if (isClosed || items.length >= limit) throw new RangeError(`Cannot hold more than ${limit} items`)\n      items.push(item)\n    },\n    async *drain() {\n      while (items.length > 0) yield items.shift()\n      isClosed = true\n    },\n  }\n}\n',
  ],
  [
    'Python',
    107,
    'class Reader:\n    def __init__(self, path: str, encoding: str = "utf-8") -> None:\n        self.path = path\n        self.encoding = encoding\n\n    def lines(self):\n        """Yields every line that is not empty, without the end of the line."""\n        with open(self.path, encoding=self.encoding) as handle:\n            for number, line in enumerate(handle, start=1):\n                if line.strip() and not line.startswith("#"):\n                    yield number, line.rstrip("\\n")\n',
  ],
  [
    'compact JSON',
    87,
    '{"name":"Read","description":"Reads a file from the local filesystem.","input_schema":{"type":"object","properties":{"file_path":{"type":"string","description":"The absolute path to the file to read"},"offset":{"type":"number","description":"The line number to start reading from"},"limit":{"type":"number","description":"The number of lines to read"}},"required":["file_path"],"additionalProperties":false}}',
  ],
  [
    'indented JSON',
    106,
    '{\n  "users": [\n    {\n      "id": 10482,\n      "email": "ada@example.com",\n      "active": true,\n      "score": 97.25,\n      "tags": [\n        "admin",\n        "beta"\n      ]\n    },\n    {\n      "id": 10483,\n      "email": "grace@example.com",\n      "active": false,\n      "score": 12,\n      "tags": []\n    }\n  ],\n  "next": null\n}',
  ],
  [
    'the output of a shell',
    86,
    '$ git status --short\n M src/server/gateway.ts\n?? test/gateway/limits.test.ts\n$ npm test -- --run test/gateway\n ✓ test/gateway/limits.test.ts (14 tests) 812ms\nTests  14 passed (14)\nDuration  2.31s (transform 402ms, setup 0ms, import 1.12s, tests 812ms)',
  ],
]

const OTHER_LANGUAGES: readonly (readonly [string, number, string])[] = [
  [
    'Chinese',
    135,
    '今天下午我们开会讨论了新系统的设计方案。大家一致认为，网关应该先读取完整的请求，再决定把它转发到哪一个上游服务。如果上游没有在规定的时间内回答，就要把错误用客户端能够理解的方式告诉用户。测试的时候请注意记录每一次请求所花费的时间，并且检查日志里有没有敏感信息。文件写入之后不要忘记检查权限是否正确，必要时请联系管理员处理。学习一门新的语言需要耐心和时间，最好的办法是每天坚持阅读和写作，遇到不认识的词就查字典。',
  ],
  [
    'Japanese',
    160,
    '昨日の会議では、新しいシステムの設計について話し合いました。ゲートウェイはまずリクエスト全体を読み取り、その後どの上流サービスに転送するかを決める必要があります。上流が決められた時間内に応答しない場合は、クライアントが理解できる形でエラーを伝えなければなりません。テストの際には、それぞれのリクエストにかかった時間を記録し、ログに機密情報が含まれていないか確認してください。ファイルを書き込んだ後は、権限が正しいかどうかを確認することを忘れないでください。',
  ],
  [
    'Korean',
    124,
    '어제 회의에서는 새로운 시스템의 설계에 대해 이야기를 나누었습니다. 게이트웨이는 먼저 요청 전체를 읽은 다음 어느 업스트림 서비스로 전달할지 결정해야 합니다. 업스트림이 정해진 시간 안에 응답하지 않으면 클라이언트가 이해할 수 있는 방식으로 오류를 알려야 합니다. 테스트할 때는 각 요청에 걸린 시간을 기록하고 로그에 민감한 정보가 포함되어 있지 않은지 확인하십시오. 파일을 쓴 뒤에는 권한이 올바른지 확인하는 것을 잊지 마십시오.',
  ],
  [
    'Russian',
    104,
    'Вчера на совещании мы обсуждали проект новой системы. Шлюз должен сначала прочитать весь запрос целиком, а затем решить, какому вышестоящему сервису его передать. Если сервис не отвечает в течение заданного времени, об ошибке нужно сообщить клиенту в понятной ему форме. Во время тестирования записывайте время выполнения каждого запроса и проверяйте, нет ли в журнале конфиденциальных данных. После записи файла не забудьте проверить права доступа.',
  ],
  [
    'Ukrainian',
    82,
    'Учора на нараді ми обговорювали проєкт нової системи. Шлюз спочатку має прочитати весь запит, а потім вирішити, якому сервісу його передати. Якщо сервіс не відповідає протягом заданого часу, про помилку потрібно повідомити клієнта у зрозумілій формі.',
  ],
  [
    'Arabic',
    94,
    'ناقشنا أمس في الاجتماع تصميم النظام الجديد. يجب على البوابة أن تقرأ الطلب كاملا أولا ثم تقرر إلى أي خدمة ترسله. إذا لم تستجب الخدمة في الوقت المحدد فيجب إبلاغ العميل بالخطأ بطريقة يفهمها. أثناء الاختبار سجل الوقت الذي يستغرقه كل طلب وتحقق من عدم وجود معلومات حساسة في السجلات. لا تنس التحقق من صلاحيات الملف بعد الكتابة.',
  ],
  [
    'Hindi',
    82,
    'कल की बैठक में हमने नई प्रणाली के डिज़ाइन पर चर्चा की। गेटवे को पहले पूरा अनुरोध पढ़ना चाहिए और फिर तय करना चाहिए कि उसे किस सेवा को भेजा जाए। यदि सेवा निर्धारित समय में उत्तर नहीं देती है तो ग्राहक को त्रुटि के बारे में समझ में आने वाले तरीके से बताना चाहिए। परीक्षण के दौरान प्रत्येक अनुरोध में लगने वाला समय दर्ज करें।',
  ],
  [
    'Thai',
    99,
    'เมื่อวานนี้ในการประชุมเราได้พูดคุยเกี่ยวกับการออกแบบระบบใหม่ เกตเวย์ควรอ่านคำขอทั้งหมดก่อนแล้วจึงตัดสินใจว่าจะส่งต่อไปยังบริการใด หากบริการไม่ตอบกลับภายในเวลาที่กำหนด ต้องแจ้งข้อผิดพลาดให้ลูกค้าทราบในรูปแบบที่เข้าใจได้ ระหว่างการทดสอบให้บันทึกเวลาที่ใช้ในแต่ละคำขอ',
  ],
  [
    'Hebrew',
    81,
    'אתמול בפגישה דנו בתכנון המערכת החדשה. השער צריך לקרוא תחילה את הבקשה כולה ואז להחליט לאיזה שירות להעביר אותה. אם השירות אינו עונה בזמן שנקבע, יש להודיע ללקוח על השגיאה בצורה שהוא מבין. במהלך הבדיקות יש לרשום את הזמן שכל בקשה לוקחת.',
  ],
  [
    'Greek',
    91,
    'Χθες στη συνάντηση συζητήσαμε τον σχεδιασμό του νέου συστήματος. Η πύλη πρέπει πρώτα να διαβάσει ολόκληρο το αίτημα και μετά να αποφασίσει σε ποια υπηρεσία θα το στείλει. Αν η υπηρεσία δεν απαντήσει μέσα στον καθορισμένο χρόνο, το σφάλμα πρέπει να ανακοινωθεί στον πελάτη.',
  ],
  [
    'German',
    80,
    'Gestern haben wir in der Besprechung den Entwurf des neuen Systems diskutiert. Das Gateway soll zuerst die ganze Anfrage lesen und dann entscheiden, an welchen Dienst sie weitergeleitet wird. Antwortet der Dienst nicht innerhalb der vorgegebenen Zeit, muss dem Kunden der Fehler in verständlicher Form mitgeteilt werden. Während der Prüfung wird aufgezeichnet, wie lange jede Anfrage gedauert hat.',
  ],
  [
    'French',
    80,
    "Hier, pendant la réunion, nous avons discuté de la conception du nouveau système. La passerelle doit d'abord lire toute la requête, puis décider à quel service elle sera transmise. Si le service ne répond pas dans le délai prévu, l'erreur doit être signalée au client sous une forme qu'il comprend. Pendant les essais, notez le temps que prend chaque requête.",
  ],
  [
    'Spanish',
    67,
    'Ayer en la reunión hablamos del diseño del nuevo sistema. La pasarela debe leer primero toda la solicitud y después decidir a qué servicio la envía. Si el servicio no responde dentro del plazo previsto, hay que comunicar el error al cliente de una forma que entienda. Durante las pruebas anote el tiempo que tarda cada solicitud.',
  ],
  [
    'Turkish',
    61,
    'Dün toplantıda yeni sistemin tasarımını konuştuk. Ağ geçidi önce isteğin tamamını okumalı, sonra hangi hizmete iletileceğine karar vermelidir. Hizmet belirlenen süre içinde yanıt vermezse hata müşteriye anlayacağı biçimde bildirilmelidir.',
  ],
  [
    'Vietnamese',
    69,
    'Hôm qua trong cuộc họp chúng tôi đã thảo luận về thiết kế của hệ thống mới. Cổng kết nối phải đọc toàn bộ yêu cầu trước, sau đó quyết định chuyển nó đến dịch vụ nào. Nếu dịch vụ không trả lời trong thời gian quy định thì phải báo lỗi cho khách hàng theo cách mà họ hiểu được.',
  ],
  [
    'Polish',
    80,
    'Wczoraj na spotkaniu omawialiśmy projekt nowego systemu. Brama powinna najpierw przeczytać całe żądanie, a potem zdecydować, do której usługi je przekazać. Jeżeli usługa nie odpowie w wyznaczonym czasie, należy poinformować klienta o błędzie w zrozumiałej formie.',
  ],
  [
    'emoji',
    54,
    'Great job team! 🎉🚀 The release is out 😄👍 and everybody is happy ❤️🔥. Please test it ✅ and report bugs 🐛 as usual 🙏. See you on Monday 👋😊 ⚠️ 📦 💡 🧪',
  ],
]

describe('a text weighs about as many tokens as it is', () => {
  test.each(ORDINARY)('%s, within 15 %%', (_, real, text) => {
    expect(Math.abs(weighText(text) / real - 1)).toBeLessThan(0.15)
  })

  test.each(OTHER_LANGUAGES)('%s, within 25 %%', (_, real, text) => {
    expect(Math.abs(weighText(text) / real - 1)).toBeLessThan(0.25)
  })
})

test('nothing weighs nothing', () => {
  expect(weighText('')).toBe(0)
})

test('any text has a weight, and not more than it has bytes', () => {
  const bounded = fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
    const tokens = weighText(text)
    expect(tokens).toBeGreaterThanOrEqual(0)
    expect(tokens).toBeLessThanOrEqual(new TextEncoder().encode(text).length * 1.2)
  })
  fc.assert(bounded, { numRuns: 200 })
})

test('two texts on lines of their own weigh about what they weigh alone', () => {
  const whole = fc.property(fc.lorem(), fc.lorem(), (one, other) => {
    const apart = weighText(`${one}\n`) + weighText(other)
    expect(Math.abs(weighText(`${one}\n${other}`) - apart)).toBeLessThan(1)
  })
  fc.assert(whole, { numRuns: 50 })
})

test('a letter that goes on for ever costs by its length', () => {
  const short = weighText('a'.repeat(1000))
  expect(short).toBeGreaterThan(100)
  expect(weighText('a'.repeat(10_000)) / short).toBeCloseTo(10, 5)
})
