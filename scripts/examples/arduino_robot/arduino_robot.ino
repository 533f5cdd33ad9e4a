// Drives towards the first object of each message that scripts/examples/uart_robot.py sends, and stops in silence.
//
// For a board with a second serial port (Nano 33, Mega, ESP32, Teensy). Wire the camera's P4 to its RX1, and ground to ground.
#include "n6post_parser.h"

const int LEFT_MOTOR = 5, RIGHT_MOTOR = 6;  // pins with PWM
const int FRAME_WIDTH = 640;
const int NEAR = 300;  // pixels: an object of this height is close enough

n6post_parser parser;
unsigned long last_message;

void drive(int left, int right) {
  analogWrite(LEFT_MOTOR, constrain(left, 0, 255));
  analogWrite(RIGHT_MOTOR, constrain(right, 0, 255));
}

void setup() {
  Serial1.begin(115200);
}

void loop() {
  while (Serial1.available()) {
    if (!n6post_parse(&parser, Serial1.read())) continue;
    last_message = millis();
    int speed = 0, turn = 0;
    if (parser.count > 0) {
      n6post_detection d = n6post_get(&parser, 0);
      if (d.h < NEAR) speed = 120;
      turn = (d.x + d.w / 2 - FRAME_WIDTH / 2) / 4;  // above 0 to the right
    }
    drive(speed + turn, speed - turn);
  }
  if (millis() - last_message > 500) drive(0, 0);
}
