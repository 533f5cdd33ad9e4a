/* Receives the messages of n6post.to_bytes, byte by byte: C99, no malloc, 9 bytes of memory and 18 for each detection.

   n6post_parser parser = {0};
   if (n6post_parse(&parser, Serial1.read()))
     for (uint8_t i = 0; i < parser.count; i++) {
       n6post_detection d = n6post_get(&parser, i);
*/
#ifndef N6POST_PARSER_H
#define N6POST_PARSER_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* At most 255. A message with more is dropped as noise: on the camera, send detections[:32]. */
#ifndef N6POST_MAX_DETECTIONS
#define N6POST_MAX_DETECTIONS 32
#endif

#define N6POST_NOT_ORIENTED 65535

typedef struct {
  int32_t track_id;  /* 1, 2, 3, ... from a Tracker; 0: no track */
  int16_t x, y, w, h;  /* the box in frame pixels: its upper left corner and its size */
  uint16_t class_id;
  uint16_t score;  /* 256 is 1.0, 128 is 0.5 */
  uint16_t rotation;  /* of an oriented box, in 1/100 degree; N6POST_NOT_ORIENTED for other boxes */
} n6post_detection;

typedef struct {
  uint8_t count;  /* detections of the message that n6post_parse has completed; 0 from its next call on */
  uint16_t dropped;  /* bytes that belonged to no message: noise, another baud rate; begins again at 65536 */
  uint16_t size, used;  /* private: the bytes that wait, and those of them that are the completed message */
  uint8_t bytes[7 + 18 * N6POST_MAX_DETECTIONS];
} n6post_parser;

/* Take the next byte. Returns true if it completes a message, also one without detections. */
bool n6post_parse(n6post_parser *parser, uint8_t byte);

/* The detection with this number, from 0 to parser->count - 1. */
n6post_detection n6post_get(const n6post_parser *parser, uint8_t number);

#ifdef __cplusplus
}
#endif

#endif
