/* See n6post_parser.h. Numbers are put together from bytes, so the core's alignment and byte order make no difference. */
#include "n6post_parser.h"

#include <string.h>

#define HEADER 5 /* 'n', '6', version, number of detections, size of a record */
#define RECORD 18

static uint16_t u16(const uint8_t *bytes) {
  return (uint16_t)(bytes[0] | (uint16_t)bytes[1] << 8);
}

/* CRC-16/CCITT-FALSE, without a table: polynomial 0x1021, from 0xFFFF; 0x29B1 of "123456789". */
static uint16_t crc16(const uint8_t *bytes, uint16_t size) {
  uint16_t crc = 0xFFFF;
  while (size--) {
    uint16_t x = (uint16_t)(crc >> 8 ^ *bytes++);
    x ^= x >> 4;
    crc = (uint16_t)((uint16_t)(crc << 8) ^ (uint16_t)(x << 12) ^ (uint16_t)(x << 5) ^ x);
  }
  return crc;
}

/* The size of the message that begins here; 0 if more bytes have to come, -1 if no message begins here. */
static int16_t message_size(const uint8_t *bytes, uint16_t size) {
  static const uint8_t start[3] = {'n', '6', 1};
  if (memcmp(bytes, start, size < 3 ? size : 3) != 0) return -1;
  if (size > 3 && bytes[3] + 0 > N6POST_MAX_DETECTIONS) return -1;
  if (size > 4 && bytes[4] != RECORD) return -1;
  if (size < HEADER) return 0;
  uint16_t end = (uint16_t)(HEADER + RECORD * bytes[3]);
  if (size < end + 2) return 0;
  return crc16(bytes, end) == u16(bytes + end) ? (int16_t)(end + 2) : -1;
}

static void drop(n6post_parser *parser, uint16_t count) {
  parser->size = (uint16_t)(parser->size - count);
  memmove(parser->bytes, parser->bytes + count, parser->size);
}

bool n6post_parse(n6post_parser *parser, uint8_t byte) {
  drop(parser, parser->used);
  parser->used = parser->count = 0;
  parser->bytes[parser->size++] = byte;

  /* What looked like a message and was none may hide the beginning of one: look at each byte again. */
  uint16_t first = 0;
  int16_t found = -1;
  while (first < parser->size && (found = message_size(parser->bytes + first, parser->size - first)) < 0) first++;
  drop(parser, first);
  parser->dropped = (uint16_t)(parser->dropped + first);
  if (found <= 0) return false;
  parser->used = (uint16_t)found;
  parser->count = parser->bytes[3];
  return true;
}

n6post_detection n6post_get(const n6post_parser *parser, uint8_t number) {
  const uint8_t *record = parser->bytes + HEADER + RECORD * number;
  n6post_detection d;
  d.class_id = u16(record);
  d.score = u16(record + 2);
  d.track_id = (int32_t)((uint32_t)u16(record + 6) << 16 | u16(record + 4));
  d.x = (int16_t)u16(record + 8);
  d.y = (int16_t)u16(record + 10);
  d.w = (int16_t)u16(record + 12);
  d.h = (int16_t)u16(record + 14);
  d.rotation = u16(record + 16);
  return d;
}
